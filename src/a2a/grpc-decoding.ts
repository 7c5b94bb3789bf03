import type { ServiceDefinition } from '@grpc/grpc-js';
import { ProtocolError } from './failure.ts';
import { checkValue, tooDeep } from './value-check.ts';

/**
 * A service that reads whatever is sent to it. The library would answer what cannot be decoded as a fault of ours, in the
 * decoder's words; here it is kept in the place of the request, for {@link checkDecoded}.
 */
export function decodingSafely(service: object): ServiceDefinition {
  const methods = Object.entries(service as ServiceDefinition).map(([name, method]) => {
    const requestDeserialize = (bytes: Buffer): object => {
      try {
        const request = method.requestDeserialize(bytes) as object;
        checkValue(request);
        return request;
      } catch (error) {
        return new Undecoded(error instanceof ProtocolError ? error : refusalOf(error));
      }
    };
    return [name, { ...method, requestDeserialize }] as const;
  });
  return Object.fromEntries(methods);
}

/** @throws {ProtocolError} for a request that could not be decoded, or that no store can keep. */
export function checkDecoded(request: unknown): void {
  if (request instanceof Undecoded) throw request.refusal;
}

class Undecoded {
  readonly refusal: ProtocolError;
  constructor(refusal: ProtocolError) {
    this.refusal = refusal;
  }
}

function refusalOf(error: unknown): ProtocolError {
  // Decoders call themselves for each level.
  if (error instanceof RangeError && error.message.includes('call stack')) return tooDeep();
  return new ProtocolError('PARSE_ERROR', 'the request is not the protobuf message that this method takes');
}
