/**
 * Makes the call that a line of curl would, as a shell reads it: words, and what stands between apostrophes. Answers its status and
 * body. @throws for what no such line has.
 */
export async function callOf(line: string): Promise<{ status: number; body: string }> {
  const [program, ...words] = [...line.matchAll(/'([^']*)'|([^\s']+)/g)].map(
    ([, quoted, bare]) => quoted ?? bare ?? '',
  );
  if (program !== 'curl') throw new Error(`no line of curl: ${line}`);
  const headers = new Headers();
  let [url, data]: (string | undefined)[] = [];
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i] ?? '';
    if (word === '-sS') continue;
    if (word === '-H') {
      const [name = '', value = ''] = (words[(i += 1)] ?? '').split(/: (.*)/s);
      headers.set(name, value);
    } else if (word === '-d') data = words[(i += 1)];
    else if (url === undefined && word.startsWith('http')) url = word;
    else throw new Error(`curl ${word}`);
  }
  const response = await fetch(url ?? '', { headers, ...(data !== undefined && { method: 'POST', body: data }) });
  return { status: response.status, body: await response.text() };
}
