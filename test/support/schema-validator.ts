import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';

/** What is wrong with a value by a JSON Schema, as Ajv says, which knows nothing of this project; empty when nothing is. */
export type SchemaValidator = (value: unknown) => string;

export function schemaValidator(schema: object): SchemaValidator {
  const validate = new AjvJsonSchemaValidator().getValidator(schema);
  return (value) => validate(value).errorMessage ?? '';
}
