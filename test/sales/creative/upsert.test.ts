import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatOf } from '../../../src/sales/catalog.ts';
import { Creative } from '../../../src/sales/creative/creative.ts';
import { CreativeInput } from '../../../src/sales/creative/creative-input.ts';
import { transitionCreative } from '../../../src/sales/creative/transitions.ts';
import { planUpsert } from '../../../src/sales/creative/upsert.ts';
import type { UpsertPlan } from '../../../src/sales/creative/upsert.ts';
import { organizationId, taskId } from '../../support/ids.ts';
import { baseUrl, demoCatalog } from '../support/demo-catalog.ts';
import { sampleCreative } from '../support/sample-creative.ts';

const catalog = await demoCatalog();

function formatNamed(id: string) {
  const format = formatOf(catalog, { agent_url: baseUrl, id });
  if (format === undefined) throw new Error(`the demo catalog has no format ${id}`);
  return format;
}

function inputOf({ creative_id, name, format_id, assets, tags }: Creative, changes: object = {}): CreativeInput {
  return CreativeInput.parse({ creative_id, name, format_id, assets, tags, ...changes });
}

let tasks = 0;
function cause(task_id = taskId(`task_${(tasks += 1) + 100}`)) {
  return { organization_id: organizationId('org_1'), task_id, at: '2026-03-05T12:00:00.000Z' };
}

function plan(stored: Creative | undefined, wanted: CreativeInput, why = cause()): UpsertPlan {
  return planUpsert(stored, wanted, formatNamed(wanted.format_id.id), why);
}

describe('[B11] what a sync does to one creative', () => {
  const approved = sampleCreative();

  it('created: a new one begins in processing, its review due at once', () => {
    const made = plan(undefined, inputOf(approved));
    expect(made).toMatchObject({ action: 'created', status: 'processing', changes: [], isWritten: false });
    expect(Creative.parse(made.row)).toEqual(made.row);
    expect(made.row).toMatchObject({ version: 1, review_due_at: cause().at, creative_key: 'org_1/c1' });
  });

  it('unchanged: the same again writes nothing, whatever the order of its members', () => {
    const again = inputOf(approved, {
      assets: { image: { height: 250, width: 300, url: approved.assets['image']?.['url'] } },
    });
    expect(plan(approved, again)).toMatchObject({
      action: 'unchanged',
      status: 'approved',
      changes: [],
      row: approved,
    });
    const rejected = sampleCreative({ status: 'rejected' });
    expect(plan(rejected, inputOf(rejected))).toMatchObject({ action: 'unchanged', status: 'rejected' });
  });

  it('updated: another name or other tags need no new review', () => {
    const renamed = plan(approved, inputOf(approved, { name: 'New', tags: ['spring'] }));
    expect(renamed).toMatchObject({ action: 'updated', status: 'approved', changes: ['name', 'tags'] });
    expect(renamed.row).toMatchObject({ version: 1, review_due_at: null, effects_due_at: null });
  });

  it('updated: another format or asset begins a new version and its review', () => {
    const assets = { image: { ...approved.assets['image'], width: 728, height: 90 }, alt_text: { content: 'Shoe' } };
    const format_id = { agent_url: baseUrl, id: 'display_728x90' };
    const remade = plan(approved, inputOf(approved, { assets, format_id }));
    expect([plan(undefined, inputOf(approved)).row.format, remade.row.format]).toEqual([
      ...['display_300x250', 'display_728x90'],
    ]);
    const changes = ['format_id', 'assets.alt_text', 'assets.image'];
    expect(remade).toMatchObject({ action: 'updated', status: 'processing', changes });
    expect(remade.row).toMatchObject({ version: 2, review_due_at: cause().at, effects_due_at: cause().at });
  });

  it('updated: a rejected creative that is mended is reviewed again, and its reason is forgotten', () => {
    const rejected = sampleCreative({ status: 'rejected', status_reason: 'blurred', reason_code: 'content_rejected' });
    const mended = plan(rejected, inputOf(rejected, { assets: { image: { ...approved.assets['image'], v: 2 } } }));
    expect(mended.row).toMatchObject({ status: 'processing', status_reason: null, reason_code: null, version: 2 });
  });

  it('updated: an archived creative sent again comes back through review, even as it was', () => {
    const archived = sampleCreative({ status: 'archived' });
    const back = plan(archived, inputOf(archived));
    expect(back).toMatchObject({ action: 'updated', status: 'processing', changes: ['status'] });
  });

  it('the same task once more: answers what it did, whatever has become of the creative since', () => {
    const why = cause();
    const first = plan(approved, inputOf(approved, { assets: { image: { ...approved.assets['image'], v: 2 } } }), why);
    const since = transitionCreative(first.row, 'pending_review', { at: why.at, action: 'processed', actor: 'system' });
    const wanted = inputOf(first.row);
    expect(plan(since, wanted, why)).toEqual({ ...first, row: since, isWritten: true });
    expect(plan(since, wanted)).toMatchObject({ action: 'unchanged', status: 'pending_review' });
  });

  it('for any two versions, planning leaves its inputs alone, and once written the same again is unchanged', () => {
    const version = fc.record({
      name: fc.constantFrom('a', 'b'),
      tags: fc.subarray(['x', 'y']),
      assets: fc.dictionary(
        fc.constantFrom('image', 'alt_text', 'click_url'),
        fc.record({ url: fc.constantFrom('https://a.example', 'https://b.example') }),
      ),
      format_id: fc.constantFrom('display_300x250', 'display_728x90').map((id) => ({ agent_url: baseUrl, id })),
    });
    const status = fc.constantFrom(...(['processing', 'approved', 'suspended', 'rejected', 'archived'] as const));
    fc.assert(
      fc.property(version, version, status, (before, after, from) => {
        const stored = sampleCreative({ ...before, status: from });
        const frozen = structuredClone(stored);
        const wanted = inputOf(stored, after);
        const first = plan(stored, wanted);
        expect(stored).toEqual(frozen);
        expect(Creative.parse(first.row)).toEqual(first.row);
        expect(first.action === 'unchanged').toBe(first.changes.length === 0);
        expect(inputOf(first.row)).toEqual(wanted);
        expect(plan(first.row, wanted)).toMatchObject({ action: 'unchanged', status: first.status });
      }),
    );
  });
});
