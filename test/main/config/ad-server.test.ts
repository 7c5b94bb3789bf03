import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { configuredAdServer } from '../../../src/main/config/ad-servers-file.ts';
import { ConfigError } from '../../../src/main/config/config-error.ts';
import { readConfig } from '../../../src/main/config/config.ts';

const TOKEN = 'bridge-token_0123456789';

/** The ad server that an environment names. */
function named(env: Record<string, string>, cwd = '/srv/agent') {
  return configuredAdServer(readConfig(env, { allowLoopback: false }, cwd).adServer);
}

function mistakesIn(env: Record<string, string>, cwd?: string): readonly string[] {
  try {
    named(env, cwd);
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
  return [];
}

/** A folder with these files in it, gone after the test. */
async function folderWith(files: Record<string, unknown>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'media-buy-agent-config-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}

describe('the ad server that the environment names', () => {
  it('is the embedded simulator unless something is said', () => {
    expect(named({})).toEqual({ id: 'default', adapter: 'simulator' });
    expect(named({ AD_SERVER: 'simulator', AD_SERVER_URL: 'https://x.example', AD_SERVER_TOKEN: TOKEN })).toEqual({
      id: 'default',
      adapter: 'simulator',
    });
  });

  it('is the one at a URL', () => {
    expect(named({ AD_SERVER: 'http', AD_SERVER_URL: 'http://10.0.0.7:8070/ads/', AD_SERVER_TOKEN: TOKEN })).toEqual({
      ...{ id: 'default', adapter: 'http' },
      ...{ url: 'http://10.0.0.7:8070/ads', token: TOKEN },
    });
  });

  it('is called with signatures where it is told so', () => {
    const there = { AD_SERVER: 'http', AD_SERVER_URL: 'http://10.0.0.7:8070', AD_SERVER_TOKEN: TOKEN };
    expect(named({ ...there, AD_SERVER_SIGN: 'true' })).toMatchObject({ adapter: 'http', sign: true });
    expect(named({ ...there, AD_SERVER_SIGN: 'false' })).not.toHaveProperty('sign');
    expect(mistakesIn({ ...there, AD_SERVER_SIGN: 'perhaps' })).toEqual(['AD_SERVER_SIGN must be true or false']);
  });

  it('is refused where a setting lacks another, or could be taken for what it is not', () => {
    expect(mistakesIn({ AD_SERVER: 'http' })).toEqual(['AD_SERVER=http needs AD_SERVER_URL and AD_SERVER_TOKEN']);
    expect(mistakesIn({ AD_SERVER: 'http', AD_SERVER_URL: 'http://ads.example' })).toEqual([
      'AD_SERVER=http needs AD_SERVER_TOKEN',
    ]);
    expect(mistakesIn({ AD_SERVER_URL: 'http://ads.example' })).toEqual(['AD_SERVER_URL needs AD_SERVER=http']);
    expect(mistakesIn({ AD_SERVER: 'gam' })).toEqual(['AD_SERVER must be simulator or http']);
    const urls = ['ftp://ads.example', 'https://user:hunter2@ads.example', 'https://ads.example/?key=hunter2', 'ads'];
    for (const url of urls) {
      const [mistake = ''] = mistakesIn({ AD_SERVER: 'http', AD_SERVER_URL: url, AD_SERVER_TOKEN: TOKEN });
      expect(mistake).toMatch(/^AD_SERVER_URL must be an http or https URL/);
      expect(mistake).not.toContain('hunter2');
    }
    expect(mistakesIn({ AD_SERVER: 'http', AD_SERVER_URL: 'http://ads.example', AD_SERVER_TOKEN: 'hunter2' })).toEqual([
      'AD_SERVER_TOKEN must be 16 to 4096 visible ASCII characters',
    ]);
  });
});

describe('the ad server that AD_SERVERS_FILE names', () => {
  const http = {
    id: 'north',
    adapter: 'http',
    settings: { url: 'https://ads.example', token: { secret: 'ADS_TOKEN' } },
  };
  const AD_SERVERS_FILE = 'ad_servers.json';

  it('takes its secret from the environment, or from the file that the environment names', async () => {
    const folder = await folderWith({ 'ad_servers.json': [http], token: `${TOKEN}-of-file\n` });
    const read = { id: 'north', adapter: 'http', url: 'https://ads.example' };
    expect(named({ AD_SERVERS_FILE, ADS_TOKEN: TOKEN }, folder)).toEqual({ ...read, token: TOKEN });
    const ofFile = { ...read, token: `${TOKEN}-of-file` };
    expect(named({ AD_SERVERS_FILE, ADS_TOKEN_FILE: 'token' }, folder)).toEqual(ofFile);
  });

  it('is called with signatures where the file says so', async () => {
    const signed = { ...http, settings: { ...http.settings, sign: true } };
    const folder = await folderWith({ 'ad_servers.json': [signed] });
    expect(named({ AD_SERVERS_FILE, ADS_TOKEN: TOKEN }, folder)).toMatchObject({ id: 'north', sign: true });
    expect(mistakesIn({ AD_SERVERS_FILE, ADS_TOKEN: TOKEN, AD_SERVER_SIGN: 'true' }, folder)).toEqual([
      'AD_SERVERS_FILE says where orders go; leave out AD_SERVER_SIGN, or the file',
    ]);
  });

  it('may be the simulator', async () => {
    const folder = await folderWith({ 'ad_servers.json': [{ id: 'trial', adapter: 'simulator' }] });
    expect(named({ AD_SERVERS_FILE }, folder)).toEqual({ id: 'trial', adapter: 'simulator' });
  });

  it('is named by the file alone', async () => {
    const folder = await folderWith({ 'ad_servers.json': [http] });
    const env = { AD_SERVERS_FILE, AD_SERVER: 'simulator', AD_SERVER_URL: 'http://ads.example' };
    expect(mistakesIn(env, folder)).toEqual([
      'AD_SERVERS_FILE says where orders go; leave out AD_SERVER and AD_SERVER_URL, or the file',
    ]);
  });

  it('has to be one', async () => {
    const folder = await folderWith({ 'ad_servers.json': [http, { ...http, id: 'south' }], 'empty.json': [] });
    expect(mistakesIn({ AD_SERVERS_FILE }, folder)).toEqual([
      'AD_SERVERS_FILE names 2 ad servers, north, south; there can be one yet, so keep one',
    ]);
    expect(mistakesIn({ AD_SERVERS_FILE: 'empty.json' }, folder)).toEqual([
      `AD_SERVERS_FILE names no ad server: ${folder}/empty.json is an empty list`,
    ]);
  });

  it('is refused by file and place, and no secret is told', async () => {
    const mistakesOf = async (content: unknown, env: Record<string, string> = {}) => {
      const folder = await folderWith({ 'ad_servers.json': content, token: 'hunter2' });
      const mistakes = mistakesIn({ AD_SERVERS_FILE, ...env }, folder);
      expect(mistakes.join()).not.toContain('hunter2');
      return mistakes.map((mistake) => mistake.replaceAll(`${folder}/`, ''));
    };
    const withToken = (token: unknown) => [{ ...http, settings: { ...http.settings, token } }];
    const file = 'AD_SERVERS_FILE ad_servers.json';
    expect(await mistakesOf('{"token": "hunter2"')).toEqual([`${file} must be a list: [ … ]`]);
    expect(await mistakesOf(withToken('hunter2-hunter2-hunter2'))).toEqual([
      `${file} [0].settings.token: must be {"secret": "NAME"}, the name of a variable and not the secret itself`,
    ]);
    expect(await mistakesOf(withToken({ secret: 'hunter2' }))).toEqual([
      `${file} [0].settings.token.secret: must be the name of a variable, in capitals, digits and underscores`,
    ]);
    expect(await mistakesOf([{ ...http, adapter: 'gam' }])).toEqual([`${file} [0].adapter: must be simulator or http`]);
    expect(await mistakesOf([http])).toEqual([
      'ADS_TOKEN is named by AD_SERVERS_FILE and not set; set it, or ADS_TOKEN_FILE to a file that holds it',
    ]);
    expect(await mistakesOf([http], { ADS_TOKEN: TOKEN, ADS_TOKEN_FILE: 'token' })).toEqual([
      'ADS_TOKEN and ADS_TOKEN_FILE exclude each other',
    ]);
    expect(await mistakesOf([http], { ADS_TOKEN_FILE: 'token' })).toEqual([
      'ADS_TOKEN_FILE must be 16 to 4096 visible ASCII characters',
    ]);
    expect(await mistakesOf([http], { ADS_TOKEN_FILE: 'nowhere' })).toEqual([
      'ADS_TOKEN_FILE names a file that cannot be read: nowhere',
    ]);
    expect(mistakesIn({ AD_SERVERS_FILE: 'nowhere.json' })).toEqual([
      'AD_SERVERS_FILE names a file that cannot be read: /srv/agent/nowhere.json',
    ]);
  });
});
