import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectRoot } from './support/project-files.ts';

/** Who may run a script of its own on the machine that installs it, and what it does there. */
const ALLOWED: Readonly<Record<string, string>> = {
  esbuild: 'looks whether the binary of this machine is there, and puts it in the place of a shim',
  'msgpackr-extract': 'looks for a native decoder, which is optional; bullmq brings it',
  protobufjs: 'prints a warning about version ranges; @grpc/proto-loader brings it',
};

interface Lock {
  packages: Record<string, { hasInstallScript?: boolean; resolved?: string; integrity?: string; link?: boolean }>;
}

const lock = JSON.parse(await readFile(join(projectRoot, 'package-lock.json'), 'utf8')) as Lock;

it('[S5.papers] no dependency runs a script when it is installed but those that are listed with a reason', () => {
  const scripted = Object.entries(lock.packages).flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript === true ? [path.replace(/^.*node_modules\//, '')] : [],
  );
  expect([...new Set(scripted)].sort()).toEqual(Object.keys(ALLOWED).sort());
});

it('[S5.papers] every dependency is the one that was looked at: by its digest', () => {
  const loose = Object.entries(lock.packages).flatMap(([path, { integrity, link }]) =>
    path.includes('node_modules/') && link !== true && integrity === undefined ? [path] : [],
  );
  expect(loose).toEqual([]);
});
