/** Nothing answers where the agent should be (exit status 3). */
export class AgentAway extends Error {
  constructor(baseUrl: string, cause: unknown) {
    super(`${baseUrl} does not answer; is the agent running?`, { cause });
    this.name = 'AgentAway';
  }
}
