/** An operation's path with its parameters in it, percent-encoded. Pure. */
export function filledIn(path: string, params: Record<string, string>): string {
  return path.replaceAll(/:(\w+)/g, (_all, name: string) => encodeURIComponent(params[name] ?? ''));
}
