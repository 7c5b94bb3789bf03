import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RegistryClient } from '#adcp-buyer/registry';
import { describeOnStores } from '../support/stores.ts';
import { cardOf, json, mcpServer } from './support/agents.ts';
import { startBuyer, WIDE } from './support/buyer.ts';
import type { Buyer } from './support/buyer.ts';
import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

type Client = InstanceType<typeof RegistryClient>;

/** A method of the client called once: what it answers holds, that it is refused, or that its path is not built yet. */
interface Row {
  call: (client: Client) => Promise<unknown>;
  outcome: 'data' | 'refused';
  /** Of what is answered with data: what it holds. */
  holds?: () => object;
}

const SELLER = 'https://sales.example';
const app = {
  ...{ property_id: 'app', property_type: 'mobile_app', name: 'The App', tags: ['sport'] },
  identifiers: [{ type: 'ios_bundle', value: 'com.paper.app' }],
};
const brand = { id: 'paper', names: [{ en: 'The Paper' }, { de: 'Die Zeitung' }], keller_type: 'independent' };
const site = { property_id: 'web', property_type: 'website', name: 'The Site', tags: ['news'] };

describeOnStores('the client of the public registry on %s', (kind) => {
  let at: Registry;
  let buyer: Buyer;
  let publisher: Server;
  let reportId = '';
  let agentOrigin = '';
  const paper = `paper-${randomUUID().slice(0, 8)}.example`;
  const kept = `kept-${randomUUID().slice(0, 8)}.example`;
  const house = `house-${randomUUID().slice(0, 8)}.example`;

  beforeAll(async () => {
    const file = {
      authorized_agents: [
        { url: SELLER, authorized_for: 'the app', authorization_type: 'property_ids', property_ids: ['app'] },
        { url: 'https://all.example', authorized_for: 'everything' },
      ],
      properties: [app, { ...site, identifiers: [{ type: 'domain', value: paper }] }],
    };
    const mcp = mcpServer({ path: '/mcp', tools: ['list_creative_formats', 'get_products'] });
    publisher = createServer((request, response) => {
      if (request.url === '/adagents.json') json(response, file);
      else if (request.url === '/brand.json') json(response, brand);
      else if (request.url === '/no-brand.json') response.writeHead(404).end();
      else if (request.url === '/.well-known/agent.json') json(response, cardOf('Seller', ['get_products']));
      else void mcp(request, response);
    });
    await new Promise<void>((resolve) => publisher.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(publisher.address() as AddressInfo).port}`;
    agentOrigin = origin;
    at = await startRegistry(kind, {
      adAgentsUrl: () => `${origin}/adagents.json`,
      brandJsonUrl: (domain) => `${origin}/${domain === paper ? 'brand' : 'no-brand'}.json`,
      sizes: WIDE,
    });
    const auth = { Authorization: `Bearer ${await at.token({ sub: randomUUID(), email: `p@${house}` })}` };
    const made = await at.post('/api/me/agents', { url: `https://${house}`, type: 'sales' }).set(auth);
    const { agent_id } = made.body as { agent_id: string };
    await at.send('patch', `/api/me/agents/${agent_id}`, { visibility: 'public' }).set(auth);
    expect((await at.post(`/api/registry/publishers/${paper}/crawl`)).status).toBe(200);
    buyer = await startBuyer(
      at,
      await at.apiKey((await at.organization({ corporate_domain: kept, domain_verified_by: 'dns' })).organization_id),
    );
    const report = await buyer.client.checkPropertyList([paper]);
    reportId = report.report_id;
    // Brands are listed once somebody has asked for them.
    await buyer.client.lookupBrand(paper);
    buyer.statuses();
  });
  afterAll(async () => {
    await buyer.close();
    await at.close();
    publisher.closeAllConnections();
    publisher.close();
  });

  const ofPaper = (more: object = {}) => [{ publisher_domain: paper, ...more }];
  const ids = { type: 'ios_bundle', value: 'com.paper.app' };
  const policy = { policy_id: 'p', version: '1', name: 'P', policy: 'text' } as never;
  const data = (call: Row['call'], holds: () => object): Row => ({ call, outcome: 'data', holds });
  const refused = (call: Row['call']): Row => ({ call, outcome: 'refused' });

  const METHODS: Record<string, Row> = {
    lookupProperty: data(
      (client) => client.lookupProperty(`www.${paper}`),
      () => ({
        ...{ publisher_domain: paper, source: 'adagents_json', verified: true },
        authorized_agents: [{ url: 'https://all.example' }, { url: SELLER, in_part: true }],
        properties: [{ id: 'app', type: 'mobile_app', identifiers: app.identifiers }, { id: 'web' }],
      }),
    ),
    lookupProperties: data(
      (client) => client.lookupProperties([paper, 'none.example']),
      () => ({ [paper]: { publisher_domain: paper }, 'none.example': null }),
    ),
    lookupPropertiesAll: data(
      (client) => client.lookupPropertiesAll([paper]),
      () => ({ [paper]: { publisher_domain: paper } }),
    ),
    domainsExist: data(
      (client) => client.domainsExist([paper, 'none.example']),
      () => ({ [paper]: true, 'none.example': false }),
    ),
    listProperties: data(
      (client) => client.listProperties({ search: 'paper', limit: 5 }),
      () => ({
        properties: [{ domain: paper, source: 'adagents_json', property_count: 2, agent_count: 2, verified: true }],
        stats: { returned: 1, has_more: false },
      }),
    ),
    lookupPublisher: data(
      (client) => client.lookupPublisher(paper),
      () => ({ domain: paper, known: true, adagents_valid: true, properties: [{ id: 'app' }, { id: 'web' }] }),
    ),
    lookupOperator: data(
      (client) => client.lookupOperator(house),
      () => ({ domain: house, member: {}, agents: [{ url: `https://${house}` }] }),
    ),
    lookupPropertyByIdentifier: data(
      (client) => client.lookupPropertyByIdentifier(ids.type, ids.value),
      () => ({
        ...{ ...ids, count: 2, has_more: false },
        agents: [
          { url: 'https://all.example', publisher_domain: paper },
          { url: SELLER, property_id: 'app' },
        ],
        properties: [{ publisher_domain: paper, property_id: 'app', name: 'The App' }],
      }),
    ),
    lookupPropertyIdentifiers: data(
      (client) => client.lookupPropertyIdentifiers([ids, { type: 'domain', value: paper }]),
      () => ({
        [`ios_bundle:${ids.value}`]: { count: 2 },
        [`domain:${paper}`]: { properties: [{ property_id: 'web' }], agents: [{ url: 'https://all.example' }] },
      }),
    ),
    validatePropertyAuthorization: data(
      (client) => client.validatePropertyAuthorization(SELLER, 'ios_bundle', 'com.paper.app'),
      () => ({ agent_url: SELLER, authorized: true, code: 'authorized', publisher_domain: paper }),
    ),
    validateProductAuthorization: data(
      (client) => client.validateProductAuthorization(SELLER, ofPaper()),
      () => ({
        authorized: false,
        selectors: [{ code: 'property_not_covered', properties_count: 1, refused: ['web'] }],
      }),
    ),
    expandProductIdentifiers: data(
      (client) => client.expandProductIdentifiers(SELLER, ofPaper()),
      () => ({
        identifiers: [{ ...ids, property_id: 'app', publisher_domain: paper }],
        ...{ property_count: 1, identifier_count: 1 },
      }),
    ),
    checkPropertyList: data(
      (client) => client.checkPropertyList([paper]),
      () => ({ summary: { total: 1, ok: 1 }, ok: [{ domain: paper }] }),
    ),
    getPropertyCheckReport: data(
      (client) => client.getPropertyCheckReport(reportId),
      () => ({ summary: { total: 1, ok: 1 } }),
    ),
    discoverAgent: data(
      (client) => client.discoverAgent(agentOrigin),
      () => ({ name: 'Seller' }),
    ),
    getAgentFormats: data(
      (client) => client.getAgentFormats(`${agentOrigin}/mcp`),
      () => ({ success: true, formats: [1, 2, 3] }),
    ),
    getAgentProducts: data(
      (client) => client.getAgentProducts(`${agentOrigin}/mcp`),
      () => ({ success: true, products: [1, 2] }),
    ),
    searchAgents: data(
      (client) => client.searchAgents({ limit: 10 }),
      () => ({ results: [{ url: `https://${house}`, type: 'sales', inventory_profile: { channels: [] } }] }),
    ),
    getFeed: data(
      (client) => client.getFeed({ types: 'agent.*', limit: 10 }),
      () => ({ events: [{ event_type: 'agent.discovered', entity_type: 'agent', entity_id: `https://${house}` }] }),
    ),
    requestCrawl: data(
      (client) => client.requestCrawl(paper),
      () => ({ message: 'Crawl request accepted', domain: paper, properties_count: 2, problems: [] }),
    ),
    validateAdagents: data(
      (client) => client.validateAdagents(paper),
      () => ({ success: true, data: { domain: paper, found: true, validation: { valid: true, errors: [] } } }),
    ),
    createAdagents: data(
      (client) => client.createAdagents({ authorized_agents: [{ url: SELLER }], properties: [app] }),
      () => ({
        success: true,
        data: {
          ...{ success: true, validation: { valid: true } },
          adagents_json: { authorized_agents: [{ url: SELLER, property_ids: ['app'] }], properties: [app] },
        },
      }),
    ),
    validatePublisher: data(
      (client) => client.validatePublisher(paper),
      () => ({
        ...{ valid: true, domain: paper, url: `${agentOrigin}/adagents.json`, agent_count: 2, property_count: 2 },
        ...{ property_type_counts: { mobile_app: 1, website: 1 }, tag_count: 2, errors: [] },
      }),
    ),
    validateProperty: data(
      (client) => client.validateProperty(paper),
      () => ({
        ...{ valid: true, domain: paper, url: `${agentOrigin}/adagents.json`, errors: [] },
        warnings: [expect.stringContaining('/authorized_agents/1: it has no scope')],
      }),
    ),

    listPolicies: refused((client) => client.listPolicies()),
    resolvePolicy: refused((client) => client.resolvePolicy({ policy_id: 'p' })),
    resolvePoliciesBulk: refused((client) => client.resolvePoliciesBulk({ policy_ids: ['p'] })),
    getPolicyHistory: refused((client) => client.getPolicyHistory({ policy_id: 'p' })),
    savePolicy: refused((client) => client.savePolicy(policy)),
    enrichBrand: refused((client) => client.enrichBrand(paper)),
    lookupManifestRef: refused((client) => client.lookupManifestRef(paper)),

    listAgents: data(
      (client) => client.listAgents(),
      () => ({ agents: [{ url: `https://${house}`, type: 'sales' }], count: 1 }),
    ),
    listPublishers: data(
      (client) => client.listPublishers(),
      () => ({ publishers: [{ domain: paper, property_count: 2 }], count: 1 }),
    ),
    getRegistryStats: data(
      (client) => client.getRegistryStats(),
      () => ({ agents: { total: 1 }, publishers: { total: 1 } }),
    ),
    search: data(
      (client) => client.search('paper'),
      () => ({
        publishers: [{ domain: paper }],
        properties: [{ domain: paper, property_count: 2 }],
        brands: [{ domain: paper }],
      }),
    ),
    lookupDomain: data(
      (client) => client.lookupDomain(paper),
      () => ({ domain: paper, known: true, authorized_agents: [{ url: 'https://all.example' }, { url: SELLER }] }),
    ),
    lookupDomains: data(
      (client) => client.lookupDomains([paper]),
      () => ({ [paper]: { known: true } }),
    ),
    getAgentDomains: data(
      (client) => client.getAgentDomains(SELLER),
      () => ({ agent_url: SELLER, domains: [paper], count: 1 }),
    ),
    getAgentCompliance: refused((client) => client.getAgentCompliance(`https://${house}`)),
    getAgentStoryboardStatus: refused((client) => client.getAgentStoryboardStatus(`https://${house}`)),
    getAgentStoryboardStatusBulk: refused((client) => client.getAgentStoryboardStatusBulk([`https://${house}`])),
    saveProperty: data(
      (client) => client.saveProperty({ publisher_domain: kept, authorized_agents: [{ url: SELLER }] }),
      () => ({
        success: true,
        id: kept,
        revision_number: 1,
        message: expect.stringContaining('counts for nobody') as string,
      }),
    ),
    saveProperties: data(
      (client) => client.saveProperties([{ publisher_domain: kept, authorized_agents: [] }]),
      () => ({ [kept]: { success: true, id: kept, revision_number: 2 } }),
    ),
    getPropertyHistory: data(
      (client) => client.getPropertyHistory({ domain: paper }),
      () => ({ domain: paper, total: 1, revisions: [{}] }),
    ),
    lookupBrand: data(
      (client) => client.lookupBrand(`www.${paper}`),
      () => ({
        ...{ canonical_id: paper, canonical_domain: paper, brand_name: 'The Paper', keller_type: 'independent' },
        ...{ source: 'brand_json', relationship_trust: 'standalone', source_url: `${agentOrigin}/brand.json` },
        brand_manifest: { id: 'paper', names: [{ en: 'The Paper' }, { de: 'Die Zeitung' }] },
      }),
    ),
    lookupBrands: data(
      (client) => client.lookupBrands([paper, house]),
      () => ({ [paper]: { brand_name: 'The Paper' }, [house]: null }),
    ),
    getBrandJson: data(
      (client) => client.getBrandJson(paper),
      () => ({ domain: paper, url: `${agentOrigin}/brand.json`, variant: 'brand_canonical', data: { id: 'paper' } }),
    ),
    listBrands: data(
      (client) => client.listBrands({ search: 'paper', limit: 5, offset: 0 }),
      () => ({
        brands: [{ domain: paper, brand_name: 'The Paper', verified: true }],
        stats: { total: 1, brand_json: 1 },
      }),
    ),
    findCompany: data(
      (client) => client.findCompany('zeitung', { limit: 3 }),
      () => ({ results: [{ domain: paper, brand_name: 'The Paper', source: 'brand_json' }] }),
    ),
    saveBrand: refused((client) => client.saveBrand({ domain: house, brand_name: 'House' })),
    getBrandHistory: data(
      (client) => client.getBrandHistory({ domain: paper, limit: 5, offset: 0 }),
      () => ({ domain: paper, total: 1, revisions: [{ revision_number: 1, edit_summary: 'the file became known' }] }),
    ),
  };

  it('[R16.public] has a row for each method of the client', () => {
    const own = ['constructor', 'get', 'post', 'getHeaders', 'parseJson', 'buildParams'];
    const methods = Object.getOwnPropertyNames(RegistryClient.prototype).filter((name) => !own.includes(name));
    expect(Object.keys(METHODS).sort()).toEqual(methods.sort());
  });

  it.each(withOutcome('data'))('[R16.public] answers %s with data', async (_, { call, holds }) => {
    const answer = await call(buyer.client);
    const statuses = buyer.statuses();
    expect(statuses.length).toBeGreaterThan(0);
    expect(statuses.every((status) => status === 200 || status === 202)).toBe(true);
    expect(Object.keys(answer as object).length).toBeGreaterThan(0);
    expect(answer).toMatchObject(holds?.() ?? expect.fail('say what it holds'));
  });

  it.each(withOutcome('refused'))('[R16.refused] refuses %s with 501 and why', async (_, { call }) => {
    await expect(call(buyer.client)).rejects.toThrow(/501.*this registry.*NOT_IMPLEMENTED.*suggestion/s);
    expect(buyer.statuses()).toEqual([501]);
  });

  function withOutcome(outcome: Row['outcome']): [string, Row][] {
    return Object.entries(METHODS).filter(([, row]) => row.outcome === outcome);
  }
});
