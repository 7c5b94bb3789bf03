/**
 * Every limit of what comes in from outside (rule S1), in one place: no other file says a number of these. `docs/limits.md` is
 * written from here by `scripts/write-limits.ts`. How much of something one caller may have in a time is a budget, not a limit.
 */
export const INPUT_LIMITS = {
  /** Request line and headers, the URL among them. */
  headBytes: 16_384,

  /** Bodies, plain and after decompression. */
  a2aBodyBytes: 1_048_576,
  mcpBodyBytes: 1_048_576,
  registryBodyBytes: 100_000,
  propertyCheckBodyBytes: 4_000_000,
  bulkResolveBodyBytes: 400_000,
  authorizationsBodyBytes: 1_000_000,
  /** As many bytes as a crawl reads at a publisher's own address. */
  adagentsBodyBytes: 5_000_000,
  billingEventBodyBytes: 1_000_000,
  operatorBodyBytes: 100_000,
  oauthBodyBytes: 20_480,
  signInFormBytes: 40_960,
  consoleFormBytes: 5_120,
  ringBodyBytes: 16_384,

  /** JSON, and what gRPC carries, whatever it says. */
  depth: 64,
  members: 1_000,
  /** Of all objects together: a full `sync_creatives` has about 15,000. */
  allMembers: 25_000,
  elements: 20_000,
  values: 100_000,
  /** Of a body that carries an adagents.json: 20,000 properties, as many as count, have some 200,000 members. */
  adagentsMembers: 200_000,
  adagentsValues: 400_000,
  /** Of A2A and MCP, as written: a creative's inline content has up to 512,000 characters. */
  textBytes: 786_432,
  /** Of a form. */
  formFields: 20,

  /** What A2A carries through. */
  contextBytes: 32_768,
  metadataBytes: 32_768,
  messageParts: 100,
  messageIdLength: 256,
  unaddressedMessageBytes: 131_072,

  /** The longest domain name there is; what is longer is echoed cut. */
  domainLength: 253,
  /** A domain may be sent as a URL with a path and a query. */
  domainInputLength: 2_048,
  /** Each server holds all of them, and reads them again when one changes. */
  blockedDomains: 10_000,
  /** Of one publisher's properties, besides domains: each that they are found by is a row. */
  publisherIdentifiers: 20_000,

  /**
   * Of a refused request: how many problems are told, and for how many of them a likely meaning is looked for. Of one that holds
   * more values than `explainedValues` the first problem is told.
   */
  issues: 50,
  explainedValues: 5_000,
  suggestions: 20,

  /** From the first byte of a request to its last, in milliseconds. Answers, and so streams, take as long as they take. */
  requestMs: 30_000,
  /**
   * How long a kept connection may be idle, in milliseconds: longer than the 60 s after which balancers close theirs, since whoever
   * sends a POST at the instant that this end closes cannot know whether it arrived.
   */
  keepAliveMs: 65_000,
  /**
   * Of bodies that have not come to their end: at one process, and there of callers who are not known (yet), so that nine addresses
   * of strangers can not shut out who is known. What one address may have is a budget, `unfinished_bytes`.
   */
  unfinishedBytes: 268_435_456,
  unfinishedBytesOfUnknown: 134_217_728,

  /**
   * Of one message over gRPC, so that it is refused while it is decoded and not after: keys of fields, lengths and whole numbers. A
   * member of an object has eight of them, so it is as much as `allMembers`; an element of a list has three or four.
   */
  protobufNumbers: 200_000,
  /** gRPC, on its own port: connections of one process. A file descriptor and some 30 kB each. */
  grpcConnections: 1_000,
  /** Calls at a time on one connection: the least that RFC 9113 (6.5.2) recommends to allow, and what other servers allow. */
  grpcStreams: 100,
  /** Calls of one process whose credential is being looked at: as many as one organization may make in a second. */
  grpcUnknownCalls: 2_000,
  /** How long a connection may stay on which nobody has been known, in milliseconds: as long as a request may take. */
  grpcUnknownMs: 30_000,
  /** After so long without a call a connection is closed, in milliseconds; proxies close theirs after some minutes, too. */
  grpcIdleMs: 300_000,
  /** How long one stream is told, in milliseconds; then its client takes it up again. */
  grpcStreamMs: 1_800_000,
  /** When a connection takes no more calls, in milliseconds, give or take a tenth, so that balancers can share calls out anew. */
  grpcConnectionMs: 1_800_000,
  /** How long what then is under way may go on, in milliseconds: as long as a stream, and a little more to say so. */
  grpcLastCallsMs: 1_860_000,
} as const;
