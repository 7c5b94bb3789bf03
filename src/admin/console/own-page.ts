/** Nothing that leads out of the console, whoever wrote it into a form or an address. Pure. */
export function isOwnPage(path: string): boolean {
  return /^\/admin(?:[/?]|$)/.test(path) && !path.includes('//') && !path.includes('\\');
}
