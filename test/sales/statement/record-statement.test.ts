import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordDelivery } from '../support/record-delivery.ts';
import { readDelivery } from '../../../src/sales/delivery/read-delivery.ts';
import { overDelivery } from '../../../src/sales/statement/delivery-book.ts';
import { openBook } from '../../../src/sales/statement/open-book.ts';
import { recordStatement } from '../../../src/sales/statement/record-statement.ts';
import { withKeysOfANewerRelease } from '../../support/grown-rows.ts';
import { mediaBuyId } from '../../support/ids.ts';
import { bookedFacts, buyTerms, hourAt, lineTerms, openFacts, statedRow, statementOf } from './support/open-facts.ts';
import type { OpenFacts } from './support/open-facts.ts';

let open: OpenFacts;
beforeEach(async () => {
  open = await openFacts();
});
afterEach(() => open.close());

const terms = buyTerms();
const ids = async () => (await open.corrections()).map(({ correction_id }) => correction_id);

describe('an hour', () => {
  it('that is new is recorded, and nothing is written when it is stated the same again', async () => {
    const look = { from: 0, until: 2, rows: [statedRow(0, 1000, { clicks: 3 }), statedRow(1, 2000)] };
    expect(await open.record(terms, look)).toMatchObject({ hours: 2, corrections: 0, ignored: [], isStale: false });
    expect(await open.hours()).toEqual({ 'pkg_1/0': '1000/650/3', 'pkg_1/1': '2000/1300/0' });
    const before = await open.facts.books.get('mb_1');
    expect(await open.record(terms, { ...look, recorded_at: hourAt(99) })).toMatchObject({ hours: 0, corrections: 0 });
    expect(await open.facts.books.get('mb_1')).toEqual(before);
  });

  it('that is stated otherwise is corrected under an id of its own each time, also when it goes back', async () => {
    for (const [i, impressions] of [1000, 900, 1000, 1000, 1100].entries()) {
      await open.record(terms, { from: 0, until: 1 + i, rows: [statedRow(0, impressions)] });
    }
    const hour = hourAt(0);
    expect(await ids()).toEqual([1, 2, 3].map((n) => `corr_pkg_1_${hour}_${n}`));
    expect((await open.corrections()).map(({ before, after }) => [before, after])).toEqual([
      [
        { impressions: 1000, spend_minor: 650, clicks: 0 },
        { impressions: 900, spend_minor: 585, clicks: 0 },
      ],
      [
        { impressions: 900, spend_minor: 585, clicks: 0 },
        { impressions: 1000, spend_minor: 650, clicks: 0 },
      ],
      [
        { impressions: 1000, spend_minor: 650, clicks: 0 },
        { impressions: 1100, spend_minor: 715, clicks: 0 },
      ],
    ]);
  });

  it('that a statement covers and does not name any more is zero; one it does not cover stays', async () => {
    const rows = [0, 1, 2, 3].map((hour) => statedRow(hour, 1000));
    await open.record(terms, { from: 0, until: 4, rows });
    await open.record(terms, { from: 1, until: 5, rows: [statedRow(2, 1000), statedRow(3, 1000)] });
    expect(await open.hours()).toEqual({
      'pkg_1/0': '1000/650/0',
      'pkg_1/1': '0/0/0',
      'pkg_1/2': '1000/650/0',
      'pkg_1/3': '1000/650/0',
    });
    expect(await ids()).toEqual([`corr_pkg_1_${hourAt(1)}_1`]);
  });

  it('that was known to be empty is corrected when it has a count after all: a report may have told it', async () => {
    await open.record(terms, { from: 0, until: 3, rows: [] });
    await open.record(terms, { from: 1, until: 4, rows: [statedRow(2, 1000), statedRow(3, 1000)] });
    expect(await ids()).toEqual([`corr_pkg_1_${hourAt(2)}_1`]);
    expect((await open.corrections())[0]?.before).toEqual({ impressions: 0, spend_minor: 0, clicks: 0 });
  });

  it('is the sum of its creatives', async () => {
    const rows = ['a', 'b'].map((creative_id) => statedRow(0, 500, { clicks: 2, creative_id }));
    await open.record(terms, { from: 0, until: 1, rows });
    expect(await open.hours()).toEqual({ 'pkg_1/0': '1000/650/4' });
  });

  it('that is not complete, or was not asked for, is left for later and told', async () => {
    const rows = [statedRow(1, 100), statedRow(2, 100), statedRow(3, 100)];
    await open.record(terms, { from: 0, until: 2, rows: [statedRow(1, 100)] });
    const { ignored } = await open.record(terms, {
      ...{ from: 2, until: 5, rows, statement: { complete_until: hourAt(3.5) } },
    });
    expect(ignored.map(({ hour }) => hour)).toEqual([hourAt(1), hourAt(3)]);
    expect(Object.keys(await open.hours())).toEqual(['pkg_1/1', 'pkg_1/2']);
    expect((await open.facts.books.get('mb_1'))?.complete_until).toBe(hourAt(3.5));
  });

  it.each([30, 45])('of a zone at :%i belongs to the hour of UTC in which it begins', async (offset_minutes) => {
    const past = offset_minutes / 60;
    const rows = [statedRow(0 + past, 1000), statedRow(23 + past, 2000)];
    const look = { from: 0, until: 24, rows, described: { offset_minutes } };
    expect((await open.record(terms, look)).ignored.map(({ hour }) => hour)).toEqual([hourAt(23 + past)]);
    await open.record(terms, { ...look, until: 24 + past });
    expect(await open.hours()).toEqual({ 'pkg_1/0': '1000/650/0', 'pkg_1/23': '2000/1300/0' });
  });

  it.each([
    ['2026-03-29', 23],
    ['2026-10-25', 25],
  ])('of %s in Berlin is one of %i, each of them an hour of UTC', async (date, count) => {
    const berlin = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin', dateStyle: 'short' });
    const first = Math.round((Date.parse(date) - Date.parse(hourAt(0))) / 3_600_000) - 3;
    const local = Array.from({ length: 30 }, (_, i) => first + i).filter(
      (hour) => berlin.format(new Date(hourAt(hour))) === date,
    );
    expect(local).toHaveLength(count);
    const line = lineTerms({ start: hourAt(first), end: hourAt(first + 100) });
    const early = buyTerms({ created_at: hourAt(first), now: hourAt(first + 50), lines: [line] });
    const rows = local.map((hour) => statedRow(hour, 1000));
    const look = { from: first, until: first + 40, rows, described: { offset_minutes: 60 } };
    expect(await open.record(early, look)).toMatchObject({ hours: count, corrections: 0 });
  });

  it('keeps what became of its impressions, and says so in corrections', async () => {
    const viewed = buyTerms({ lines: [lineTerms({ model: 'vcpm' })] });
    const look = (viewable: number) => ({
      ...{ from: 0, until: 1, rows: [statedRow(0, 5000, { counts: { impressions: 5000, clicks: 0, viewable } })] },
    });
    await open.record(viewed, look(3000));
    expect(await open.hours()).toEqual({ 'pkg_1/0': '5000/1950/0' });
    await open.record(viewed, look(2000));
    expect((await open.corrections())[0]).toMatchObject({
      before: { impressions: 5000, spend_minor: 1950, viewable: 3000, completions: 0 },
      after: { impressions: 5000, spend_minor: 1300, viewable: 2000, completions: 0 },
    });
  });
});

describe('the book', () => {
  it('takes no statement that was asked for before a newer one was recorded', async () => {
    const early = await openBook(open.facts, terms);
    await open.record(terms, { from: 0, until: 2, rows: [statedRow(0, 1000), statedRow(1, 1000)] });
    const late = statementOf([{ terms, book: early }], { from: 0, until: 1, rows: [statedRow(0, 700)] });
    const answer = await recordStatement(open.facts, late);
    expect(answer).toMatchObject({ outcome: 'recorded' });
    expect(answer.outcome === 'recorded' && answer.buys.get('mb_1')?.isStale).toBe(true);
    expect(await open.hours()).toEqual({ 'pkg_1/0': '1000/650/0', 'pkg_1/1': '1000/650/0' });
  });

  it('records nothing of any buy of a statement that lies', async () => {
    const other = buyTerms({ media_buy_id: mediaBuyId('mb_2') });
    const buys = [
      { terms, book: await openBook(open.facts, terms) },
      { terms: other, book: await openBook(open.facts, other) },
    ];
    const rows = [statedRow(0, 1000), statedRow(1, 10, { clicks: 11, media_buy_id: 'mb_2' })];
    expect(await recordStatement(open.facts, statementOf(buys, { from: 0, until: 2, rows }))).toMatchObject({
      outcome: 'quarantined',
      problems: [{ lie: 'clicks', media_buy_id: 'mb_2', package_id: 'pkg_1', hour: hourAt(1) }],
    });
    expect([await open.hours(terms), await open.hours(other)]).toEqual([{}, {}]);
    expect((await open.facts.books.get('mb_1'))?.complete_until).toBeNull();
  });

  it('leaves a buy alone of which the statement does not say how far it is complete', async () => {
    const look = { from: 0, until: 2, rows: [statedRow(0, 1000)], statement: { complete_until: {} } };
    expect((await open.record(terms, look)).ignored).toHaveLength(1);
    expect(await open.hours()).toEqual({});
  });

  it('takes nothing for final that is not complete', async () => {
    const far = { complete_until: hourAt(99), final_until: hourAt(99) };
    await open.record(terms, { from: 0, until: 2, rows: [], statement: far });
    const book = await open.facts.books.get('mb_1');
    expect(book).toMatchObject({ complete_until: hourAt(2), final_until: hourAt(2) });
  });

  it('refuses to leave a gap', async () => {
    await open.record(terms, { from: 0, until: 2, rows: [] });
    await expect(open.record(terms, { from: 3, until: 4, rows: [] })).rejects.toThrow('a gap in the book of mb_1');
  });

  it('of a buy whose delivery was reported to the first port goes on from its facts', async () => {
    const { media_buy_id } = terms;
    const hours = [0, 1].map((hour) => ({
      ...{ package_id: 'pkg_1', hour: hourAt(hour), impressions: 1001, spend_minor: 651, clicks: 1 },
    }));
    await recordDelivery(open.facts, media_buy_id, { hours, corrections: [] }, hourAt(2));
    const older = { ...terms, recorded_until: hourAt(2) };
    const rows = [statedRow(0, 1001, { clicks: 1 }), statedRow(1, 1101, { clicks: 1 }), statedRow(2, 1000)];
    await open.record(older, { from: 0, until: 3, rows });
    expect(await ids()).toEqual([`corr_pkg_1_${hourAt(1)}_1`]);
    const { spend } = await readDelivery(
      open.facts,
      media_buy_id,
      { fromMs: 0, untilMs: Date.parse(hourAt(9)) },
      'day',
    ).then((days) => ({ spend: days.reduce((sum, { spend_minor }) => sum + spend_minor, 0) }));
    expect(spend).toBe(651 + 651 + 65 + 650);
  });

  it('keeps what a newer release wrote in its rows', async () => {
    const facts = bookedFacts(withKeysOfANewerRelease(open.store));
    for (const [i, impressions] of [5000, 900, 800].entries()) {
      const lines = [lineTerms({ budget_minor: 1000, forecast_per_hour: 1000 })];
      await open.record({ ...terms, lines }, { from: 0, until: 1 + i, rows: [statedRow(0, impressions)] }, facts);
    }
    const book = await open.facts.books.get('mb_1');
    expect(book).toHaveProperty('of_a_newer_release');
    expect(book?.lines['pkg_1']).toHaveProperty('of_a_newer_release');
    expect(book?.lines['pkg_1']?.periods['first']).toHaveProperty('of_a_newer_release');
  });
});

describe('what is beyond the budget in force', () => {
  const small = (budget_minor: number) => buyTerms({ lines: [lineTerms({ budget_minor, forecast_per_hour: 1000 })] });
  const beyond = async () => {
    const line = (await open.facts.books.get('mb_1'))?.lines['pkg_1'];
    return line && overDelivery(line);
  };

  it('is counted and not billed, and a larger budget does not bill it either', async () => {
    const rows = [statedRow(0, 1000), statedRow(1, 1000), statedRow(2, 1000)];
    await open.record(small(1000), { from: 0, until: 3, rows });
    expect(await open.hours()).toEqual({ 'pkg_1/0': '1000/650/0', 'pkg_1/1': '1000/350/0', 'pkg_1/2': '1000/0/0' });
    expect(await beyond()).toEqual({ impressions: 461 + 1000, spend_minor: 300 + 650, clicks: 0 });
    await open.record(small(2000), { from: 0, until: 4, rows: [...rows, statedRow(3, 1000)] });
    expect((await open.hours())['pkg_1/3']).toBe('1000/650/0');
    expect((await open.facts.books.get('mb_1'))?.lines['pkg_1']?.billed_minor).toBe(1650);
    expect(await ids()).toEqual([]);
  });

  it('falls first when an hour is counted less, and what moved to another hour stays billed', async () => {
    const at = (first: number, second: number) => [statedRow(0, first), statedRow(1, second)];
    await open.record(small(1000), { from: 0, until: 2, rows: at(1000, 1000) });
    await open.record(small(1000), { from: 0, until: 2, rows: at(1000, 600) });
    expect(await open.hours()).toEqual({ 'pkg_1/0': '1000/650/0', 'pkg_1/1': '600/350/0' });
    await open.record(small(1000), { from: 0, until: 2, rows: at(1200, 400) });
    expect(await open.hours()).toEqual({ 'pkg_1/0': '1200/740/0', 'pkg_1/1': '400/260/0' });
    expect(await beyond()).toEqual({ impressions: 61, spend_minor: 40, clicks: 0 });
  });

  it('is also what was served after the flight, or after the buy was ended', async () => {
    const rows = [statedRow(0, 1000), statedRow(1, 1000), statedRow(2, 1000)];
    await open.record({ ...terms, stopped_at: hourAt(1.5) }, { from: 0, until: 3, rows });
    expect(await open.hours()).toEqual({ 'pkg_1/0': '1000/650/0', 'pkg_1/1': '1000/650/0', 'pkg_1/2': '1000/0/0' });
    expect(await beyond()).toEqual({ impressions: 1000, spend_minor: 650, clicks: 0 });
  });

  it('is what the newest hours give back when the budget was cut below what is billed', async () => {
    const rows = [statedRow(0, 1000), statedRow(1, 1000)];
    await open.record(small(1300), { from: 0, until: 2, rows });
    await open.record(small(1000), { from: 0, until: 3, rows });
    expect(await open.hours()).toEqual({ 'pkg_1/0': '1000/650/0', 'pkg_1/1': '1000/350/0' });
    expect(await ids()).toEqual([`corr_pkg_1_${hourAt(1)}_1`]);
  });
});
