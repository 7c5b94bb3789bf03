import express from 'express';
import type { Request, Response, Router } from 'express';
import { SCOPE_MEANINGS } from '../../directory/caller.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import type { SchemaSide } from '../../platform/json-schema.ts';
import { schemaPath, SCHEMAS_PATH, taskSchema } from '../../runtime/task-schemas.ts';
import type { TaskDefinition } from '../../runtime/task-definition.ts';
import type { CallingFacts } from '../card/agent-card.ts';
import { AGENT_DOCS_PATH, SKILLS_STYLE_SOURCE, skillsPage } from './skills-page.ts';
import { sendDocument, servedDocument } from './served-document.ts';
import type { ServedDocument } from './served-document.ts';

export interface SkillDocumentsSource {
  tasks: ReadonlyMap<string, TaskDefinition>;
  /** Without a slash at the end. */
  baseUrl: () => string;
  /** The agent's name. */
  name: string;
  calling?: CallingFacts | undefined;
  startedAtMs: number;
}

const SIDES: readonly SchemaSide[] = ['input', 'output'];

/**
 * What says how the skills are called, to anybody: their schemas, a list of these, and a page for people. Each document is made
 * when it is first asked for, and kept.
 */
export function skillRoutes(source: SkillDocumentsSource): Router {
  const startedAt = Math.floor(source.startedAtMs / 1000) * 1000;
  const kept = new Map<string, ServedDocument>();
  const answer = (request: Request, response: Response, type: string, name: string, make: () => string) => {
    const document = kept.get(name) ?? servedDocument(make());
    kept.set(name, document);
    return sendDocument(request, response, document, { type, startedAt });
  };

  const router = express.Router();
  router.get(SCHEMAS_PATH, (request, response) =>
    answer(request, response, 'application/json', 'list', () => JSON.stringify(schemaList(source))),
  );
  for (const task of source.tasks.values()) {
    for (const side of SIDES) {
      const path = schemaPath(task.name, side);
      const make = () => JSON.stringify(taskSchema(task, side, source.baseUrl()));
      router.get(path, (request, response) => answer(request, response, 'application/schema+json', path, make));
    }
  }
  // The path as it came: what cannot be decoded names no skill either.
  router.get(/^\/schemas\//, ({ path }, response) => {
    response.status(404).json({ error: notThere(source, path.split('/')[2] ?? '') });
  });
  router.get(AGENT_DOCS_PATH, (request, response) => {
    response.setHeader(
      'Content-Security-Policy',
      `default-src 'none'; style-src ${SKILLS_STYLE_SOURCE}; base-uri 'none'; frame-ancestors 'none'`,
    );
    response.setHeader('X-Content-Type-Options', 'nosniff');
    const { name, calling } = source;
    const page = () => skillsPage({ name, calling, baseUrl: source.baseUrl(), tasks: [...source.tasks.values()] });
    return answer(request, response, 'text/html; charset=utf-8', 'page', page);
  });
  return router;
}

/** Every skill with what it needs and where its schemas are. */
function schemaList({ tasks, baseUrl }: SkillDocumentsSource): JsonObject {
  const skills = [...tasks.values()].map(({ name, title, scope }) => ({
    ...{ id: name, title, scope },
    scope_lets: SCOPE_MEANINGS[scope],
    input: `${baseUrl()}${schemaPath(name, 'input')}`,
    output: `${baseUrl()}${schemaPath(name, 'output')}`,
  }));
  return { skills };
}

function notThere({ tasks }: SkillDocumentsSource, skill: string): string {
  if (tasks.has(skill)) return `the schemas of ${skill} are input.json and output.json`;
  return `no skill is called ${JSON.stringify(skill.slice(0, 80))}; there are ${[...tasks.keys()].join(', ')}`;
}
