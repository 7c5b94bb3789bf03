/** What Express keeps of a router, as far as routes are found by it. */
interface Layer {
  rawPath?: unknown;
  route?: { path: unknown; methods: Readonly<Record<string, boolean>> };
  handle: { stack?: readonly Layer[] };
}

/** Every route of an Express application, below its routers too, as `GET /a/:b`; `ALL` where any method is answered. */
export function routesOf(app: { router: unknown }): string[] {
  const { stack = [] } = app.router as Layer['handle'];
  return [...new Set(below(stack, ''))].sort();
}

function below(stack: readonly Layer[], prefix: string): string[] {
  return stack.flatMap(({ rawPath, route, handle }) => {
    if (route === undefined) {
      return handle.stack === undefined
        ? []
        : pathsOf(rawPath).flatMap((path) => below(handle.stack ?? [], `${prefix}${path.replace(/\/$/, '')}`));
    }
    const methods = route.methods['_all'] === true ? ['all'] : Object.keys(route.methods);
    return pathsOf(route.path).flatMap((path) => methods.map((method) => `${method.toUpperCase()} ${prefix}${path}`));
  });
}

function pathsOf(path: unknown): string[] {
  return [path].flat(5).map((one) => (one === undefined || one === '/' ? '/' : String(one)));
}
