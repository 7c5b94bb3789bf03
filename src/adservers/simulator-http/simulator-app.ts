import express from 'express';
import type { Express, RequestHandler } from 'express';
import type { Logger } from '../../platform/log.ts';
import { forbiddenRule } from '#receiver/node/address-guard';
import type { AdServer } from '../../sales/ad-server/ad-server.ts';
import { hasBearerToken } from '../http/bearer-token.ts';
import { inputOf, readJsonBody } from '../http/bridge-input.ts';
import { bridgeErrors, BridgeRefusal } from '../http/bridge-refusal.ts';
import { createAdServerRouter } from '../http/bridge-router.ts';
import type { CallProof } from '../http/bridge-router.ts';
import type { SimulatorControls } from '../simulator/ad-server-simulator.ts';
import { SimulatorControl } from '../simulator/controls.ts';
import { createHttpFaults } from './http-faults.ts';

export interface SimulatorAppOptions {
  /** For the bridge and for the controls. */
  token: string;
  log: Logger;
  /** Of the bridge's calls; see `AdServerRouterOptions`. */
  verify?: CallProof;
}

/**
 * A simulated ad server behind the HTTP bridge, and what steers it: `POST /_control` takes a `SimulatorControl`,
 * `GET /_control/calls` answers `SimulatorCalls`, both to callers on this machine alone.
 */
export function createSimulatorApp(
  simulator: AdServer & { controls: SimulatorControls },
  { token, log, verify }: SimulatorAppOptions,
): Express {
  const { controls } = simulator;
  const faults = createHttpFaults();
  const app = express();
  app.disable('x-powered-by');
  const mayControl: RequestHandler = (request, _response, next) => {
    if (!isThisMachine(request.socket.remoteAddress ?? ''))
      throw new BridgeRefusal(403, 'forbidden', 'controls are taken from this machine alone');
    if (!hasBearerToken(request.get('authorization'), token))
      throw new BridgeRefusal(401, 'unauthorized', 'send the token as Authorization: Bearer');
    next();
  };
  app.post('/_control', mayControl, readJsonBody(MAX_CONTROL_BYTES), async (request, response) => {
    const control = inputOf(SimulatorControl, request.body, 'body');
    faults.take(control);
    await controls.take(control);
    response.json({});
  });
  app.get('/_control/calls', mayControl, (_request, response) => {
    response.set('Cache-Control', 'no-store').json(controls.calls());
  });
  app.use('/_control', bridgeErrors({ log, now: Date.now }));
  app.use(createAdServerRouter(simulator, { token, log, beforeCall: faults.beforeCall, ...(verify && { verify }) }));
  return app;
}

const MAX_CONTROL_BYTES = 1024 * 1024;

function isThisMachine(address: string): boolean {
  return ['loopback', 'embedded loopback'].includes(forbiddenRule(address) ?? '');
}
