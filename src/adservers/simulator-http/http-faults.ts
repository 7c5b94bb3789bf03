import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { RequestHandler, Response } from 'express';
import { BridgeRefusal } from '../http/bridge-refusal.ts';
import type { HttpControl } from '../simulator/controls.ts';

/** What goes wrong on the way to a simulated ad server, as it was told to; of one process, and forgotten with it. */
export interface HttpFaults {
  take(control: HttpControl & { reset?: true | undefined }): void;
  /** Carries it out, call by call, before the ad server has them in its hands. */
  beforeCall: RequestHandler;
}

export function createHttpFaults(): HttpFaults {
  let told: Told = { ...NOTHING };

  function take(control: HttpControl & { reset?: true | undefined }): void {
    if (control.reset === true) told = { ...NOTHING };
    const { latency_ms, fail_rate, fail_seed, status, times, retry_after, ...answers } = control;
    told.latency_ms = latency_ms ?? told.latency_ms;
    told.fail_rate = fail_rate ?? told.fail_rate;
    if (fail_seed !== undefined) told.chance = seededChance(fail_seed);
    if (status !== undefined) told.status = { status, times: times ?? 1, retry_after };
    told.drop_answer_after_apply = answers.drop_answer_after_apply ?? told.drop_answer_after_apply;
    told.half_body = answers.half_body ?? told.half_body;
  }

  const beforeCall: RequestHandler = async (request, response, next) => {
    if (told.latency_ms > 0) await delay(told.latency_ms, undefined, { ref: false });
    const { status } = told;
    if (status !== undefined && status.times > 0) {
      status.times -= 1;
      if (status.retry_after !== undefined) response.set('Retry-After', String(status.retry_after));
      throw new BridgeRefusal(status.status, 'simulated', 'the simulated ad server answers so, as it was told to');
    }
    if (told.fail_rate > 0 && told.chance() < told.fail_rate)
      throw new BridgeRefusal(503, 'simulated', 'the simulated ad server fails, as it was told to');
    if (told.drop_answer_after_apply > 0) {
      told.drop_answer_after_apply -= 1;
      insteadOfAnswer(response, () => request.socket.destroy());
    } else if (told.half_body > 0) {
      told.half_body -= 1;
      insteadOfAnswer(response, (body) => {
        response.write(body.subarray(0, Math.ceil(body.length / 2)), () => request.socket.destroy());
      });
    }
    next();
  };

  return { take, beforeCall };
}

interface Told {
  latency_ms: number;
  fail_rate: number;
  /** 0 up to 1. */
  chance: () => number;
  status: { status: number; times: number; retry_after: number | undefined } | undefined;
  drop_answer_after_apply: number;
  half_body: number;
}

const NOTHING: Told = {
  latency_ms: 0,
  fail_rate: 0,
  chance: Math.random,
  status: undefined,
  drop_answer_after_apply: 0,
  half_body: 0,
};

/** The same numbers in turn for the same seed. */
function seededChance(seed: number): () => number {
  let n = 0;
  return () => createHash('sha256').update(`${seed}/${n++}`).digest().readUInt32BE(0) / 2 ** 32;
}

/** Does something else once the head of an answer is made and its body is at hand. */
function insteadOfAnswer(response: Response, send: (body: Buffer) => void): void {
  response.end = ((chunk: unknown) => {
    send(Buffer.isBuffer(chunk) ? chunk : Buffer.from(typeof chunk === 'string' ? chunk : ''));
    return response;
  }) as Response['end'];
}
