import { Metadata, ServerInterceptingCall } from '@grpc/grpc-js';
import type { ServerInterceptor } from '@grpc/grpc-js';
import { forwardedAddress } from '../platform/client-address.ts';
import { requestIdFor, REQUEST_ID_HEADER, withRequest } from '../platform/request-context.ts';
import type { RequestContext } from '../platform/request-context.ts';

const KEY = REQUEST_ID_HEADER.toLowerCase();

/**
 * Gives every call over gRPC an id and tells it in the metadata before the answer and in the trailers, so that a refused call has
 * it too. `trustedProxies` in front are believed about who calls, and about the id.
 */
export function requestIds(trustedProxies: number): ServerInterceptor {
  return (_method, call) => {
    let context: RequestContext = { request_id: requestIdFor(undefined, false), address: '', edge: 'grpc' };
    const named = (metadata: Metadata): Metadata => {
      metadata.set(KEY, context.request_id);
      return metadata;
    };
    return new ServerInterceptingCall(call, {
      start(next) {
        next({
          onReceiveMetadata(metadata, proceed) {
            const [given] = metadata.get(KEY).map(String);
            const forwarded = metadata.get('x-forwarded-for').map(String).join(',');
            context = {
              request_id: requestIdFor(given, trustedProxies > 0),
              address: forwardedAddress(hostOf(call.getPeer()), forwarded, trustedProxies),
              edge: 'grpc',
              traceparent: metadata.get('traceparent').map(String)[0],
            };
            withRequest(context, () => {
              proceed(metadata);
            });
          },
          onReceiveMessage(message, proceed) {
            withRequest(context, () => {
              proceed(message);
            });
          },
          onReceiveHalfClose(proceed) {
            withRequest(context, proceed);
          },
        });
      },
      sendMetadata(metadata, next) {
        next(named(metadata));
      },
      sendStatus(status, next) {
        next({ ...status, metadata: named(status.metadata ?? new Metadata()) });
      },
    });
  };
}

/** `127.0.0.1` of `127.0.0.1:50051`, `::1` of `[::1]:50051`. */
function hostOf(peer: string): string {
  return peer.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
}
