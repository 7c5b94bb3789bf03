import { z } from 'zod';
import { createSignInLink } from '../../sign-in-link.ts';
import { operation } from '../operation.ts';

/** Makes a one-time link into the console, good for 15 minutes. */
export const createLink = operation({
  method: 'post',
  path: '/sign-in-links/create',
  summary: 'Make a one-time link into the console, good for 15 minutes.',
  role: 'admin',
  action: 'sign_in_links.create',
  hasSecret: true,
  answer: z.object({ sign_in_url: z.string() }),
  async handle(_input, deps) {
    return { sign_in_url: await createSignInLink(deps, deps.baseUrl) };
  },
});
