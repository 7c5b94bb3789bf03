import { expect, it } from 'vitest';
import { accountNames } from '../../src/oauth/authorize/account-names.ts';
import { beginAttempt } from '../../src/oauth/authorize/sign-in-attempt.ts';
import { openBudgets } from '../support/open-budgets.ts';

const account = accountNames('the secret of an installation, at least so long')('ada@acme.example');

it('[S2.sign-in] strangers from many addresses lock nobody out where that person has signed in before', async () => {
  const { budgets, close } = openBudgets({ sizes: { failed_sign_ins_elsewhere: 25 } });
  const home = await beginAttempt(budgets, { account, address: '203.0.113.7' });
  await home.succeeded();
  const strangers = Array.from({ length: 60 }, (_, i) => ({ account, address: `198.51.100.${i % 6}` }));
  const tries = await Promise.all(strangers.map((stranger) => beginAttempt(budgets, stranger)));
  expect(tries.filter(({ waitSeconds }) => waitSeconds === undefined)).toHaveLength(25);
  const elsewhere = await beginAttempt(budgets, { account, address: '192.0.2.1' });
  expect(elsewhere.waitSeconds).toBeGreaterThan(0);
  for (let i = 0; i < 10; i++)
    expect((await beginAttempt(budgets, { account, address: '203.0.113.7' })).waitSeconds).toBeUndefined();
  const guessedAtHome = await beginAttempt(budgets, { account, address: '203.0.113.7' });
  expect(guessedAtHome.waitSeconds).toBeGreaterThan(0);
  await close();
});

it('[S2.sign-in] one address fails for thirty accounts together, and what is refused counts nowhere', async () => {
  const { budgets, close } = openBudgets();
  const from = (address: string, i: number) => beginAttempt(budgets, { account: `account-${i}`, address });
  const tries = [];
  for (let i = 0; i < 40; i++) tries.push(await from('2001:db8:1:2::5', i));
  expect(tries.filter(({ waitSeconds }) => waitSeconds === undefined)).toHaveLength(30);
  expect((await from('2001:db8:1:2:ffff::1', 50)).waitSeconds).toBeGreaterThan(0);
  for (let i = 0; i < 10; i++) expect((await from('2001:db8:1:3::5', 39)).waitSeconds).toBeUndefined();
  await close();
});
