import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';
import { endpoint } from '../endpoint.ts';
import { answerQuestions } from './answer.ts';
import { AuthorizationAnswer, AuthorizationAnswers, AuthorizationQuestion, AuthorizationQuestions } from './schema.ts';

const DESCRIPTION =
  "Judged by the publisher's adagents.json as it was last read, or by that of the manager that its ads.txt names: by time, property, country, exclusivity and what was taken back. `code` is one of a closed list.";

/** Rule R15.scope. */
export const checkAuthorization = endpoint({
  id: 'checkAuthorization',
  method: 'get',
  path: '/api/registry/authorization',
  tag: 'Registry',
  summary: 'Ask whether an agent may sell a property, in a country, at a time',
  description: DESCRIPTION,
  access: 'public',
  effect: 'read',
  limit: 'check_authorization',
  query: AuthorizationQuestion,
  responses: { 200: { description: 'Yes or no, why, and by which entry', schema: AuthorizationAnswer } },

  async handle({ query }, { store, clock }) {
    const [answer] = await answerQuestions(store, [query], clock.now(), { published: true });
    return { body: answer };
  },
});

/** The same of up to 1,000 questions. */
export const checkAuthorizations = endpoint({
  id: 'checkAuthorizations',
  method: 'post',
  path: '/api/registry/authorization',
  tag: 'Registry',
  summary: 'Ask the same of up to 1,000 agents and properties',
  description: DESCRIPTION,
  access: 'public',
  effect: 'read',
  limit: 'check_authorizations',
  body: AuthorizationQuestions,
  bodyBytes: INPUT_LIMITS.authorizationsBodyBytes,
  responses: { 200: { description: 'An answer to each question, in their order', schema: AuthorizationAnswers } },

  async handle({ body }, { store, clock }) {
    const answered: AuthorizationAnswers = { answers: await answerQuestions(store, body.questions, clock.now()) };
    // As it is made, member by member: a second schema over a thousand answers says nothing new.
    return { json: JSON.stringify(answered) };
  },
});
