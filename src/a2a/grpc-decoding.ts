import { BinaryReader } from '@bufbuild/protobuf/wire';
import type { ServiceDefinition } from '@grpc/grpc-js';
import { INPUT_LIMITS } from '../platform/intake/input-limits.ts';
import { tooManyNumbers } from '../platform/intake/input-refusal.ts';
import { ProtocolError } from './failure.ts';
import { asProtocol, checkValue, tooDeep } from './value-check.ts';

/**
 * A service that reads whatever is sent to it. The library would answer what cannot be decoded as a fault of ours, in the
 * decoder's words; here it is kept in the place of the request, for {@link checkDecoded}. What costs too much to decode is given up
 * in the middle of it (rule S1).
 */
export function decodingSafely(service: object): ServiceDefinition {
  const methods = Object.entries(service as ServiceDefinition).map(([name, method]) => {
    const requestDeserialize = (bytes: Buffer): object => {
      try {
        // Each message decodes what is such a reader by that reader.
        const reader = new BoundedReader(bytes) as unknown as Buffer;
        const request = asProtocol(() => method.requestDeserialize(reader) as object);
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

/** Reads so many numbers, and no more: what a decoder does for every field begins with one. */
class BoundedReader extends BinaryReader {
  constructor(bytes: Uint8Array) {
    super(bytes);
    const read = this.uint32.bind(this);
    let left: number = INPUT_LIMITS.protobufNumbers;
    this.uint32 = () => {
      if (left === 0) throw tooManyNumbers(INPUT_LIMITS.protobufNumbers);
      left -= 1;
      return read();
    };
  }
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
