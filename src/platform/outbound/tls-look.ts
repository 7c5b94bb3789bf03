import { isIP } from 'node:net';
import { connect } from 'node:tls';

/** What a server shows of itself over TLS. */
export type TlsLook =
  | {
      kind: 'shown';
      /** When its certificate ends, in milliseconds since 1970; NaN where it does not say so that it can be read. */
      endsAtMs: number;
      /** Why callers would refuse it; null: they would not. */
      fault: 'expired' | 'of another name' | 'not yet good' | 'untrusted' | null;
    }
  /** No handshake came to an end: `why` is the code of what stopped it. */
  | { kind: 'none'; why: string };

interface TlsPlace {
  /** A name or an address, as callers write it. */
  host: string;
  port: number;
  timeoutMs: number;
  /** Certificate authorities to trust instead of the built-in ones, as PEM. */
  ca?: string | undefined;
}

/** Makes one handshake, and sends nothing by it: so it may look at a certificate that nobody should talk to. Never rejects. */
export function lookAtTls({ host, port, timeoutMs, ca }: TlsPlace): Promise<TlsLook> {
  return new Promise((resolve) => {
    const socket = connect({
      ...{ host, port, rejectUnauthorized: false },
      ...(isIP(host) === 0 && { servername: host }),
      ...(ca !== undefined && { ca }),
    });
    const end = (look: TlsLook) => {
      socket.destroy();
      resolve(look);
    };
    socket.setTimeout(timeoutMs, () => {
      end({ kind: 'none', why: 'it takes too long' });
    });
    socket.on('error', ({ code = 'it failed' }: NodeJS.ErrnoException) => {
      end({ kind: 'none', why: code });
    });
    socket.once('secureConnect', () => {
      const { valid_to } = socket.getPeerCertificate();
      // The types say an error; it is that error's code.
      const refused = socket.authorized ? null : faultOf(String(socket.authorizationError));
      end({ kind: 'shown', endsAtMs: Date.parse(valid_to), fault: refused });
    });
  });
}

function faultOf(code: string): 'expired' | 'of another name' | 'not yet good' | 'untrusted' {
  if (code === 'CERT_HAS_EXPIRED') return 'expired';
  if (code === 'CERT_NOT_YET_VALID') return 'not yet good';
  return code.includes('ALTNAME') ? 'of another name' : 'untrusted';
}
