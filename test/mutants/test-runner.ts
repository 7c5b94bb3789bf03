import { join } from 'node:path';
import { createVitest } from 'vitest/node';
import type { TestCase, TestModule } from 'vitest/node';
import config from '../../vitest.config.ts';
import { projectRoot } from '../support/project-files.ts';
import { mutated } from './mutant.ts';
import type { Mutant, Tests } from './mutant.ts';

/** What a run of tests came to. */
export interface Findings {
  /** Tests that went well. */
  passed: number;
  /** The first test in which an assertion failed. */
  red?: string;
  /** What failed otherwise: what an assertion did not say, proves nothing. */
  crashed?: string;
}

export interface TestRunner {
  /** Runs tests on the product, with a mutant built into it in memory, up to the first failure. */
  run(tests: readonly Tests[], mutant?: Mutant): Promise<Findings>;
  /** Ends what runs, after the test that is at work. */
  cancel(): Promise<void>;
  close(): Promise<void>;
}

/** An end for what a mutant keeps waiting; no test of the unbroken product may depend on it. */
const TEST_TIMEOUT_MS = 240_000;

/** A vitest that keeps what it has transformed from run to run; every run has processes of its own. */
export async function openTestRunner(): Promise<TestRunner> {
  let mutant: Mutant | undefined;
  let findings: Findings = { passed: 0 };

  const reporter = {
    onTestCaseResult(test: TestCase) {
      const { state, errors = [] } = test.result();
      if (state === 'passed') findings.passed += 1;
      if (state !== 'failed') return;
      if (errors.some(isAssertion)) findings.red ??= titleOf(test);
      else findings.crashed ??= `${titleOf(test)}: ${errors[0]?.message ?? 'for no reason'}`;
    },
    onTestModuleEnd(module: TestModule) {
      const [error] = module.errors();
      if (error !== undefined) findings.crashed ??= `${module.relativeModuleId}: ${error.message}`;
    },
  };
  const build = {
    name: 'mutant',
    enforce: 'pre' as const,
    transform: (source: string, id: string) =>
      mutant !== undefined && id === pathOf(mutant) ? { code: mutated(source, mutant), map: null } : undefined,
  };

  const { projects: _projects, globalSetup: _setUp, ...settings } = config.test ?? {};
  const vitest = await createVitest(
    'test',
    {
      ...settings,
      ...{ config: false as const, root: projectRoot, watch: false, reporters: [reporter] },
      ...{ include: ['test/**/*.test.ts'], maxWorkers: 1, bail: 1, testTimeout: TEST_TIMEOUT_MS },
      onConsoleLog: () => false,
    },
    { oxc: config.oxc ?? {}, plugins: [build] },
  );
  const project = vitest.getRootProject();

  return {
    async run(tests, built) {
      findings = { passed: 0 };
      mutant = built;
      if (built !== undefined) vitest.invalidateFile(pathOf(built));
      try {
        const wanted = tests.map(({ file, named }) =>
          project.createSpecification(join(projectRoot, file), named === undefined ? {} : { testNamePattern: named }),
        );
        const { unhandledErrors } = await vitest.runTestSpecifications(wanted);
        const [error] = unhandledErrors as { message?: string }[];
        if (error !== undefined) findings.crashed ??= error.message ?? 'an error that nobody handled';
        return findings;
      } finally {
        mutant = undefined;
        if (built !== undefined) vitest.invalidateFile(pathOf(built));
      }
    },
    cancel: () => vitest.cancelCurrentRun('keyboard-input'),
    close: () => vitest.close(),
  };
}

function pathOf({ file }: Mutant): string {
  return join(projectRoot, file);
}

function titleOf(test: TestCase): string {
  return `${test.module.relativeModuleId} > ${test.fullName}`;
}

/** Whether an assertion failed, be it inside of a property of fast-check's. */
function isAssertion(error: { name?: string | undefined; cause?: unknown }): boolean {
  if (error.name === 'AssertionError') return true;
  return typeof error.cause === 'object' && error.cause !== null && isAssertion(error.cause);
}
