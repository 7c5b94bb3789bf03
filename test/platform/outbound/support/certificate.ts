import { generateKeyPairSync, sign } from 'node:crypto';

/** A self-signed P-256 certificate for these names, as PEM, made anew each time (RFC 5280). */
export function selfSigned(
  names: { dns?: string[]; ipv4?: string[] },
  { isExpired = false } = {},
): {
  key: string;
  cert: string;
} {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const [notBefore, notAfter] = isExpired
    ? ['20000101000000Z', '20010101000000Z']
    : ['20000101000000Z', '20990101000000Z'];
  const name = sequence(set(sequence(COMMON_NAME, der(0x0c, Buffer.from('test')))));
  const alternatives = [
    ...(names.dns ?? []).map((dns) => der(0x82, Buffer.from(dns))),
    ...(names.ipv4 ?? []).map((ip) => der(0x87, Buffer.from(ip.split('.').map(Number)))),
  ];
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    sequence(ECDSA_WITH_SHA256),
    name,
    sequence(der(0x18, Buffer.from(notBefore)), der(0x18, Buffer.from(notAfter))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(SUBJECT_ALT_NAME, der(0x04, sequence(...alternatives))))),
  );
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', toBeSigned, privateKey)]));
  const certificate = sequence(toBeSigned, sequence(ECDSA_WITH_SHA256), signature);
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
  };
}

const COMMON_NAME = der(0x06, Buffer.from([0x55, 0x04, 0x03]));
const SUBJECT_ALT_NAME = der(0x06, Buffer.from([0x55, 0x1d, 0x11]));
const ECDSA_WITH_SHA256 = der(0x06, Buffer.from([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]));

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, ...parts);
}

function set(...parts: Buffer[]): Buffer {
  return der(0x31, ...parts);
}

/** One tag, length and value of the distinguished encoding rules (ITU-T X.690). */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const value = Buffer.concat(parts);
  const { length } = value;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), value]);
}
