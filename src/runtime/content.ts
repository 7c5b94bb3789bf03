import { z } from 'zod';
import { JsonObject } from '../platform/json-object.ts';
import { JsonTexts } from '../platform/json-text.ts';

/** One piece of content, as A2A 1.0 has it: text, structured data, a file by URL, or a file's bytes in base64. */
export const Part = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ data: z.unknown() }),
  z.strictObject({ url: z.string(), media_type: z.string().optional(), filename: z.string().optional() }),
  z.strictObject({ raw: z.string(), media_type: z.string().optional(), filename: z.string().optional() }),
]);
export type Part = z.infer<typeof Part>;

/** A piece of a task's output. Chunks with `append` go behind the earlier parts of the same `artifact_id`. */
export const Artifact = z.strictObject({
  artifact_id: z.string(),
  name: z.string().optional(),
  parts: z.array(Part),
  append: z.boolean().optional(),
  last_chunk: z.boolean().optional(),
});
export type Artifact = z.infer<typeof Artifact>;

/** What was sent to the agent in one message; `wire` is the message in A2A 1.0 JSON, kept to be shown again. */
export const InboundMessage = z.strictObject({
  message_id: z.string(),
  /** Its id, sender and content as one text, which tells messages apart (rule T6). Absent in rows of 0.1.0. */
  message_key: z.string().optional(),
  wire: JsonObject,
  /** What of it is shown as it was written (rule W19). Absent in rows of 0.1.0, and where there is nothing such. */
  wire_texts: JsonTexts.optional(),
});
export type InboundMessage = z.infer<typeof InboundMessage>;

/** Whether a message has been taken before; of those of 0.1.0 only the id is known. */
export function isTaken(earlier: readonly InboundMessage[], message: InboundMessage): boolean {
  return earlier.some(({ message_key, message_id }) =>
    message_key === undefined ? message_id === message.message_id : message_key === message.message_key,
  );
}
