/** Where the agent card is, below the base URL (A2A 1.0). */
export const CARD_PATH = '/.well-known/agent-card.json';

/** Whether a program started this process and wants one JSON line instead of words. */
export function isJsonWanted(): boolean {
  return process.argv.includes('--json');
}

/** One line of JSON on standard output. */
export function printLine(value: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
