import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/main/config/config-error.ts';
import { readConfig } from '../../../src/main/config/config.ts';
import { SETTINGS } from '../../../src/main/config/settings.ts';

const read = (env: Record<string, string>) => readConfig(env, { allowLoopback: false }, '/srv/agent');

function mistakesIn(env: Record<string, string>): readonly string[] {
  try {
    read(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
  return [];
}

describe('the environment', () => {
  it('needs nothing: every setting has its default', () => {
    expect(read({})).toMatchObject({
      port: 8080,
      host: '127.0.0.1',
      publicUrl: undefined,
      dataDir: '/srv/agent/data',
      catalogDir: '/srv/agent/catalog',
      mongodbUrl: undefined,
      redisUrl: undefined,
      protocolName: 'proto',
      allowLoopback: false,
      allowLegacyBearer: false,
      approvalOver: new Map(),
      simSpeed: 1,
      logLevel: 'info',
    });
    expect(readConfig({}, { allowLoopback: true }).allowLoopback).toBe(true);
  });

  it('that is empty is not set', () => {
    const empty = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, '']));
    expect(read(empty)).toEqual(read({}));
  });

  it('is read into units and types', () => {
    const config = read({
      PORT: '0',
      PUBLIC_URL: 'https://sales.publisher.example//',
      DATA_DIR: '/var/lib/agent',
      CATALOG_DIR: '../catalog',
      ALLOW_LOOPBACK: 'on',
      ALLOW_LEGACY_BEARER: '1',
      APPROVAL_OVER_USD: '50000.50',
      SIM_SPEED: '3600',
    });
    expect(config).toMatchObject({
      port: 0,
      publicUrl: 'https://sales.publisher.example',
      dataDir: '/var/lib/agent',
      catalogDir: '/srv/catalog',
      allowLoopback: true,
      allowLegacyBearer: true,
      approvalOver: new Map([['USD', 5_000_050]]),
      simSpeed: 3600,
    });
  });

  it('tells every mistake at once, by name, in the order of the settings and never with a secret', () => {
    const wrong = {
      PORT: '70000',
      HOST: 'not a host',
      GRPC_PORT: '0',
      PUBLIC_URL: 'ftp://x',
      TRUST_PROXY: 'all',
      MONGODB_URL: 'postgres://user:hunter2@db/x',
      REDIS_URL: 'localhost:6379',
      PROTOCOL_NAME: 'Has Spaces',
      ALLOW_LOOPBACK: 'yes',
      ALLOW_LEGACY_BEARER: 'perhaps',
      BOOTSTRAP_API_KEY: 'hunter2',
      OPERATOR_API_KEY: 'hunter2',
      SECRET_KEY: 'hunter2',
      APPROVAL_OVER: 'USD',
      APPROVAL_OVER_USD: '-5',
      SIM_SPEED: '0',
      CREATIVE_REVIEW_SECONDS: 'soon',
      LOG_LEVEL: 'loud',
    };
    const mistakes = mistakesIn(wrong);
    expect(mistakes.map((mistake) => mistake.split(' ')[0])).toEqual(Object.keys(wrong));
    expect(mistakes.every((mistake) => mistake.includes(' must '))).toBe(true);
    expect(mistakes.join('\n')).not.toContain('hunter2');
  });

  it('[B3.thresholds] reads the amounts that pass without a person exactly, in minor units of each currency', () => {
    const over = (env: Record<string, string>) => [...read(env).approvalOver];
    expect(over({ APPROVAL_OVER: 'USD:50000,JPY:7500000,KWD:49999.999' })).toEqual([
      ['USD', 5_000_000],
      ['JPY', 7_500_000],
      ['KWD', 49_999_999],
    ]);
    expect(over({ APPROVAL_OVER: 'EUR:45000', APPROVAL_OVER_USD: '0.29' })).toEqual([
      ['EUR', 4_500_000],
      ['USD', 29],
    ]);
    expect(over({ APPROVAL_OVER: 'USD:50000.00', APPROVAL_OVER_USD: '50000' })).toEqual([['USD', 5_000_000]]);
  });

  it('[B3.thresholds] refuses amounts that are none: by name, by place, with what to write', () => {
    expect(mistakesIn({ APPROVAL_OVER: 'USD:50000,EURO:1,KWD:1.2345,GBP,USD:1' })).toEqual([
      'APPROVAL_OVER must be amounts by currency, such as USD:50000,EUR:45000: ' +
        'entry 2, "EURO:1", begins with no ISO 4217 currency; write its three capital letters; ' +
        'entry 3, "KWD:1.2345", has an amount that must have at most 3 decimals in KWD, and 1.2345 has 4; ' +
        'entry 4, "GBP", has no amount; write the currency, a colon and the amount; ' +
        'entry 5, "USD:1", names USD again; keep one of the two',
    ]);
    expect(mistakesIn({ APPROVAL_OVER: 'EUR:1,USD:50000', APPROVAL_OVER_USD: '50000.01' })).toEqual([
      'APPROVAL_OVER_USD must agree with the USD of APPROVAL_OVER: it is 50000.01, and there 50000.00; keep one of them',
    ]);
  });

  it('[B15.two] reads the amounts that take two people, and refuses those that nobody would be asked about', () => {
    const { secondApproverOver } = read({ APPROVAL_OVER: 'USD:50000', SECOND_APPROVER_OVER: 'USD:50000,EUR:40000' });
    expect([...secondApproverOver]).toEqual([
      ['USD', 5_000_000],
      ['EUR', 4_000_000],
    ]);
    const never = 'so nobody would be asked at all: set APPROVAL_OVER to';
    expect(mistakesIn({ SECOND_APPROVER_OVER: 'EUR:40000' })).toEqual([
      `SECOND_APPROVER_OVER has EUR:40000.00, and APPROVAL_OVER is not set, ${never} EUR:40000.00 or less`,
    ]);
    expect(mistakesIn({ APPROVAL_OVER_USD: '50000', SECOND_APPROVER_OVER: 'USD:100,EUR:1' })).toEqual([
      `SECOND_APPROVER_OVER has USD:100.00, and APPROVAL_OVER has 50000.00, ${never} USD:100.00 or less`,
    ]);
  });

  it('[S5.oidc] reads all of the three settings of the identity provider of operators, or none', () => {
    const oidc = {
      OPERATOR_OIDC_ISSUER: 'https://login.publisher.example/realms/staff/',
      OPERATOR_OIDC_CLIENT_ID: 'agent',
      OPERATOR_OIDC_CLIENT_SECRET: 'a secret of ours',
    };
    expect(read(oidc).operatorOidc).toEqual({
      issuer: 'https://login.publisher.example/realms/staff/',
      clientId: 'agent',
      clientSecret: 'a secret of ours',
    });
    expect(read({}).operatorOidc).toBeUndefined();
    expect(mistakesIn({ ...oidc, OPERATOR_OIDC_CLIENT_SECRET: '' })).toEqual([
      'OPERATOR_OIDC_CLIENT_SECRET must be set, since another of the three OPERATOR_OIDC settings is',
    ]);
    // Without a provider nobody could sign in (rule S5.oidc-only).
    expect(read(oidc).hasSignInLinks).toBe(true);
    expect(read({ ...oidc, SIGN_IN_LINKS: 'false' }).hasSignInLinks).toBe(false);
    expect(mistakesIn({ SIGN_IN_LINKS: 'false' })).toEqual([
      'SIGN_IN_LINKS=false needs OPERATOR_OIDC_ISSUER, or nobody could sign in to the console',
    ]);
    expect(mistakesIn({ SIGN_IN_LINKS: 'no' })).toEqual([expect.stringMatching(/^SIGN_IN_LINKS /)]);
    const issuer = (OPERATOR_OIDC_ISSUER: string) => mistakesIn({ ...oidc, OPERATOR_OIDC_ISSUER }).length;
    expect(['http://localhost:9000', 'http://127.0.0.1:9000'].map(issuer)).toEqual([0, 0]);
    expect(['http://login.example', 'https://u@login.example', 'https://login.example?x', 'login'].map(issuer)).toEqual(
      [...[1, 1, 1, 1]],
    );
  });

  it('reads where gRPC is reached as the address that clients dial', () => {
    const address = (GRPC_PUBLIC_URL: string) => read({ GRPC_PORT: '50051', GRPC_PUBLIC_URL }).grpcAddress;
    expect(read({ GRPC_PORT: '50051' }).grpcAddress).toBeUndefined();
    expect(address('grpc.example:50443')).toBe('grpc.example:50443');
    expect(address('https://GRPC.example/')).toBe('grpc.example:443');
    expect(address('https://grpc.example:8443')).toBe('grpc.example:8443');
    expect(address('http://[::1]')).toBe('[::1]:80');
    expect(mistakesIn({ GRPC_PUBLIC_URL: 'grpc.example:443' })).toEqual([
      'GRPC_PUBLIC_URL needs GRPC_PORT, the port that the proxy is to call',
    ]);
    for (const GRPC_PUBLIC_URL of [
      'grpc.example',
      'https://grpc.example/a2a',
      'u@grpc.example:443',
      'x:0',
      'x:70000',
      'ftp://x:1',
    ]) {
      expect(mistakesIn({ GRPC_PORT: '50051', GRPC_PUBLIC_URL })).toEqual([
        'GRPC_PUBLIC_URL must be host:port or https://host, without a path',
      ]);
    }
  });

  it('reads whose pages may call as exact origins, or all', () => {
    const origins = (A2A_CORS_ORIGINS: string) => read({ A2A_CORS_ORIGINS }).corsOrigins;
    expect(read({}).corsOrigins).toBeUndefined();
    expect(origins('*')).toBe('*');
    expect(origins('https://app.example, http://localhost:3000')).toEqual([
      'https://app.example',
      'http://localhost:3000',
    ]);
    for (const wrong of [
      'app.example',
      'https://app.example/',
      'https://*.example',
      'null',
      '*,https://app.example',
      'HTTPS://app.example',
      'https://app.example:443',
    ]) {
      expect([wrong, ...mistakesIn({ A2A_CORS_ORIGINS: wrong })]).toEqual([
        wrong,
        'A2A_CORS_ORIGINS must be * or exact origins such as https://app.example, with commas between, each without a path',
      ]);
    }
  });

  it('gives the operator a key that no buyer has', () => {
    const key = `op_live_${'abcdefgh'.repeat(4)}`;
    expect(read({ OPERATOR_API_KEY: key }).operatorApiKey).toBe(key);
    const same = { OPERATOR_API_KEY: key, BOOTSTRAP_API_KEY: key };
    expect(mistakesIn(same)).toEqual(['OPERATOR_API_KEY must differ from BOOTSTRAP_API_KEY']);
  });

  it.each([
    ['PORT', ['0', '80', '65535'], ['-1', '65536', '8080x', '80.5', ' 80', '1e3']],
    ['HOST', ['0.0.0.0', '::', 'agent.internal'], ['a b', 'http://x', 'a/b']],
    ['PUBLIC_URL', ['http://localhost:8080', 'https://a.example/agent'], ['a.example', 'https://a.example/?x=1']],
    [
      'MONGODB_URL',
      [
        'mongodb://127.0.0.1/test',
        'mongodb://u:p%40@a.example:27017,b.example:27017,c.example/db?replicaSet=rs0&w=majority',
        'mongodb+srv://cluster.example/db',
        'mongodb://127.0.0.1:27017',
      ],
      ['mongodb:', 'mongodb://', 'mongo://a', 'http://a', '127.0.0.1:27017', 'mongodb://a b'],
    ],
    ['REDIS_URL', ['redis://a:6379/2', 'rediss://u:p@a', 'unix:///run/redis.sock'], ['a:6379', 'http://a', '/run/x']],
    ['PROTOCOL_NAME', ['adcp', 'proto', 'a-1'], ['A', '1a', 'a_b', 'x'.repeat(33)]],
    ['BOOTSTRAP_API_KEY', [`mk_live_${'abcdefgh'.repeat(4)}`], ['short', 'a'.repeat(40), `${'abcdefgh'.repeat(4)} x`]],
    [
      'APPROVAL_OVER',
      ['USD:50000', 'USD:0, EUR:45000.50 ,JPY:7500000,KWD:49999.999', 'USD:9999999999999.99'],
      ['50000', 'usd:1', 'USD:-1', 'USD:1e3', 'USD:', ':5', 'JPY:0.5', 'USD:1,', 'USD:1,USD:1', 'USD:10000000000000'],
    ],
    ['APPROVAL_OVER_USD', ['0', '100', '0.5'], ['1,000', '$5', '1e3', '0.001', 'NaN']],
    ['SIM_SPEED', ['1', '1.5', '100000'], ['0.5', 'fast', '1e9']],
  ])('%s takes what it means and nothing else', (name, good, bad) => {
    for (const text of good) expect([text, mistakesIn({ [name]: text })]).toEqual([text, []]);
    for (const text of bad) expect([text, mistakesIn({ [name]: text }).length]).toEqual([text, 1]);
  });
});

describe('what npm start does for trying out', () => {
  const DEMO = { allowLoopback: true, isDemo: true };
  const conveniences = (env: Record<string, string>) => {
    const { isLocal, allowLoopback, hasDemoBuyer, hasDemoAccount, hasExampleBuys, hasSandboxBilling } = readConfig(
      env,
      DEMO,
    );
    return [isLocal, allowLoopback, hasDemoBuyer, hasDemoAccount, hasExampleBuys, hasSandboxBilling];
  };
  const ALL = Array.from({ length: 6 }, () => true);
  const NONE = Array.from({ length: 6 }, () => false);

  it.each([
    {},
    { HOST: 'localhost' },
    { HOST: '::1' },
    { TRUST_PROXY: 'false' },
    { HOST: '127.8.9.1', PUBLIC_URL: 'http://[::1]:8080' },
  ])('[S4] is done while only this machine reaches it: %o', (env) => {
    expect(conveniences({ ...env })).toEqual(ALL);
  });

  it.each([
    { HOST: '0.0.0.0' },
    { HOST: '::' },
    { HOST: '10.0.0.7' },
    { HOST: 'sales.publisher.example' },
    { HOST: 'localhost.publisher.example' },
    { PUBLIC_URL: 'https://sales.publisher.example' },
    { HOST: '127.0.0.1', PUBLIC_URL: 'http://192.168.1.4:8080' },
    { HOST: '127.0.0.1', TRUST_PROXY: '1' },
    { PUBLIC_URL: 'http://127.0.0.1:8080', TRUST_PROXY: '2' },
  ])('[S4] is not done where others do: %o', (env) => {
    expect(conveniences({ ...env })).toEqual(NONE);
  });

  it('[S4] is switched on there by a setting of its own, each', () => {
    const HOST = '0.0.0.0';
    const off = conveniences({ HOST });
    for (const [name, places] of [
      ['ALLOW_LOOPBACK', [1]],
      ['DEMO_ACCOUNT', [2, 3]],
      ['EXAMPLE_BUYS', [4]],
      ['BILLING_SANDBOX', [5]],
    ] as const) {
      const on = conveniences({ HOST, [name]: 'true' });
      expect([name, on.flatMap((value, i) => (value === off[i] ? [] : [i]))]).toEqual([name, [...places]]);
    }
  });
});

describe('[W16.proxy] the proxy on the way out', () => {
  const PROXY = 'http://agent:planted-password@proxy.example:3128';

  it('is read from its URL, and looks names up only where that is said', () => {
    expect(read({ OUTBOUND_PROXY: PROXY }).outboundProxy).toMatchObject({
      host: 'proxy.example',
      resolvesNames: false,
    });
    const resolving = read({ OUTBOUND_PROXY: PROXY, OUTBOUND_PROXY_RESOLVES: 'true' });
    expect(resolving.outboundProxy).toMatchObject({ port: 3128, resolvesNames: true });
  });

  it('is refused by name when it is none, without repeating its password', () => {
    const mistakes = mistakesIn({ OUTBOUND_PROXY: PROXY.replace('http:', 'socks5:') });
    expect(mistakes).toEqual([expect.stringMatching(/^OUTBOUND_PROXY must be http:/)]);
    expect(mistakes.join('')).not.toContain('planted-password');
    expect(mistakesIn({ OUTBOUND_PROXY_RESOLVES: 'true' })).toEqual([
      'OUTBOUND_PROXY_RESOLVES needs OUTBOUND_PROXY, the proxy that looks names up',
    ]);
  });
});
