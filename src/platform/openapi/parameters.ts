type Json = Record<string, unknown>;

/** The members of an object's JSON Schema as OpenAPI's parameters; a path has no optional ones. Pure. */
export function parametersOf(place: 'path' | 'query', schema: Json | undefined): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]): Json => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema: rest,
  }));
}
