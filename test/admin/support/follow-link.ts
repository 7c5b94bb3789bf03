/** Opens a sign-in link and sends its form, as a browser does; answers what the form was answered. `name`: where it asks for one. */
export async function followLink(link: string, name?: string): Promise<Response> {
  const { origin, pathname, searchParams } = new URL(link);
  await fetch(link);
  return fetch(`${origin}${pathname}`, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ token: searchParams.get('token') ?? '', ...(name !== undefined && { name }) }),
    redirect: 'manual',
  });
}
