/** Where the agent card is, below the base URL (A2A 1.0). */
export const CARD_PATH = '/.well-known/agent-card.json';

/** What a person runs at this machine to be let in to the console, after `npm run -s agent -- `. */
export function howToSignIn({ hasSignInLinks }: { hasSignInLinks: boolean }): string {
  return hasSignInLinks ? 'sign-in --role admin' : 'people invite NAME --email ADDRESS --role admin';
}

/** Whether a program started this process and wants one JSON line instead of words. */
export function isJsonWanted(): boolean {
  return process.argv.includes('--json');
}

/** One line of JSON on standard output. */
export function printLine(value: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
