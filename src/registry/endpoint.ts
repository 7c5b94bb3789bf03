import type { z } from 'zod';
import type { Scope } from '../directory/caller.ts';
import type { SpentBudget } from '../platform/budget/budget-table.ts';
import type { Shape } from '../platform/intake/json-shape.ts';
import type { OrganizationId } from '../platform/organization-id.ts';
import type { RegistryCaller } from './auth/caller.ts';
import type { RegistryContext } from './context.ts';

/** What an endpoint answers; the framework writes it to the wire. */
export interface Answer {
  /** Default 200; must be among the endpoint's declared responses. */
  status?: number;
  /** Parsed with the declared schema of the status before it is sent. */
  body?: unknown;
  /** Sent instead of a body, as it stands: JSON, or its bytes, that fits the declared schema, for what is much or stored as JSON. */
  json?: string | Buffer;
  /** The same in gzip, which is sent so to whoever takes it. */
  gzipped?: Buffer;
  /** Sent instead of a body, as the declared content type. */
  text?: string;
  headers?: Record<string, string>;
  /** Sent piece by piece instead of a body, as the declared content type, until it ends or the client goes. */
  stream?: (signal: AbortSignal) => AsyncIterable<string>;
}

export interface ResponseSpec {
  description: string;
  /** Of the JSON body; of an event stream, of the JSON that is the data of each event. */
  schema?: z.ZodType;
  /** For answers that are text: their content type. */
  contentType?: string;
}

/** Who may call: anybody; anybody, with more to see for those with a credential; only those with a credential. */
export type Access = 'public' | 'optional' | 'required';

/**
 * What a call does to what is stored: nothing but keep an answer, or change it. A credential needs the scope of it (rule R13),
 * whatever the method: some POSTs only read.
 */
export type Effect = 'read' | 'write';

/**
 * Whose scopes a credential needs. In `registry` callers act for themselves; in `webhooks` an organization acts, and sees what
 * is its own alone (rule T5).
 */
export type Area = 'registry' | 'webhooks';

/** The scope that a credential needs. */
export function scopeOf({ area = 'registry', effect }: Pick<Endpoint, 'area' | 'effect'>): Scope {
  return `${area}:${effect}`;
}

/** Parsed input of an endpoint. */
export interface Input<P, Q, B> {
  params: P;
  query: Q;
  body: B;
  /** The request's bytes as they came, where the endpoint asks for them; else none. */
  rawBody: Buffer;
}

/** What a handler gets besides its input. */
export interface EndpointCall extends RegistryContext {
  /** Present when a good credential came along, and always when access is `required`. */
  caller: RegistryCaller | undefined;
  /** The organization that acts, in areas where one does. */
  organization_id: OrganizationId | undefined;
  /** Where the request came from. */
  address: string;
  /** A header of the request, by its name in lower case. */
  header: (name: string) => string | undefined;
}

/** One endpoint: all that routing, validation, limits and OpenAPI need, and what it does. */
export interface Endpoint<P = unknown, Q = unknown, B = unknown> {
  /** Unique; the `operationId` in OpenAPI. */
  id: string;
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** With parameters in braces, as OpenAPI writes them. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  access: Access;
  effect: Effect;
  /** Default `registry`. */
  area?: Area;
  /** The budget that its calls are counted in (rule R14): of one address, of one caller, or of the organization that acts. */
  limit: SpentBudget;
  /** Which calls count. Default: every one; `refused`: those answered 4xx. */
  counts?: 'refused';
  params?: z.ZodType<P>;
  query?: z.ZodType<Q>;
  body?: z.ZodType<B>;
  /** Largest request body in bytes; one of `INPUT_LIMITS`. Default `registryBodyBytes`. */
  bodyBytes?: number;
  /** Of a body that may hold more than others, and is read in slices. Default `ANY_SHAPE`. */
  bodyShape?: Shape;
  /** What to do instead where a body is larger than that, or than the gate's other limits. */
  tooLarge?: string;
  /** Hands over the request's bytes as they came, such as for a signature over them. */
  rawBody?: true;
  responses: Record<number, ResponseSpec>;
  /** The body of an error that is not the registry's common one. */
  errorBody?: (code: string, message: string) => Record<string, unknown>;
  handle(input: Input<P, Q, B>, call: EndpointCall): Promise<Answer>;
}

/** Ties the types of an endpoint's schemas to its handler. */
export function endpoint<P = undefined, Q = undefined, B = undefined>(spec: Endpoint<P, Q, B>): Endpoint {
  return spec;
}
