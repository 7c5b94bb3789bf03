/** Opens a sign-in link and sends its form, as a browser does; answers what the form was answered. */
export async function followLink(link: string): Promise<Response> {
  const { origin, pathname, searchParams } = new URL(link);
  await fetch(link);
  return fetch(`${origin}${pathname}`, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ token: searchParams.get('token') ?? '' }),
    redirect: 'manual',
  });
}
