/**
 * The part of structured fields (RFC 8941) that the three signature headers use, read strictly and in one pass. It
 * differs from the RFC on purpose: byte sequences may be base64url (rule W13), and a key that comes twice is an
 * error, where the RFC lets the last one win.
 */

/** A parameter's value. The profile knows integers and strings; anything else is legal but never what it asks for. */
export type ParamValue = { type: 'integer'; value: number } | { type: 'string'; value: string } | { type: 'other' };

/** One member of `Signature-Input`. */
export interface SignatureInput {
  /** Covered component names in order, each once. A name with parameters of its own is written with them: `@path;req`. */
  components: string[];
  params: ReadonlyMap<string, ParamValue>;
  /** The member's value exactly as received, to sign over (RFC 9421 section 2.5). */
  text: string;
}

/** All members of a `Signature-Input` header by label; undefined when any part of it is malformed. */
export function parseSignatureInput(header: string): ReadonlyMap<string, SignatureInput> | undefined {
  return parseDictionary(header, (scanner) => scanner.signatureInput());
}

/**
 * All members of a `Signature` or `Content-Digest` header, each token undecoded; undefined when any part is malformed.
 */
export function parseTokens(header: string): ReadonlyMap<string, string> | undefined {
  return parseDictionary(header, (scanner) => scanner.byteToken());
}

function parseDictionary<T>(header: string, readMember: (scanner: Scanner) => T): Map<string, T> | undefined {
  const scanner = new Scanner(header);
  const members = new Map<string, T>();
  try {
    scanner.skip(SPACE);
    do {
      scanner.skip(SPACE, TAB);
      const key = scanner.key();
      scanner.expect(EQUALS);
      const member = readMember(scanner);
      if (members.has(key)) return undefined;
      members.set(key, member);
      scanner.skip(SPACE, TAB);
    } while (scanner.take(COMMA));
    return scanner.isAtEnd() ? members : undefined;
  } catch (error) {
    if (error instanceof MalformedHeader) return undefined;
    throw error;
  }
}

class MalformedHeader extends Error {}

const [TAB, SPACE, QUOTE, OPEN, CLOSE, STAR, COMMA, MINUS] = [9, 32, 34, 40, 41, 42, 44, 45];
const [DOT, ZERO, ONE, COLON, SEMICOLON, EQUALS, QUESTION, BACKSLASH] = [46, 48, 49, 58, 59, 61, 63, 92];
const MAX_INTEGER_DIGITS = 15;

/** Reads from left to right; looks at no character more than a fixed number of times. */
class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  take(code: number): boolean {
    if (this.#peek() !== code) return false;
    this.#at += 1;
    return true;
  }

  expect(code: number): void {
    if (!this.take(code)) throw new MalformedHeader();
  }

  skip(code: number, orCode = code): void {
    while (this.#peek() === code || this.#peek() === orCode) this.#at += 1;
  }

  key(): string {
    const first = this.#peek();
    if (!isLower(first) && first !== STAR) throw new MalformedHeader();
    return this.#run(isKeyCharacter);
  }

  byteToken(): string {
    this.expect(COLON);
    const token = this.#run(isTokenDigit);
    this.expect(COLON);
    return token;
  }

  signatureInput(): SignatureInput {
    const start = this.#at;
    const components = new Set<string>();
    this.expect(OPEN);
    this.skip(SPACE);
    while (!this.take(CLOSE)) {
      const name = this.#component();
      if (components.has(name)) throw new MalformedHeader();
      components.add(name);
      if (this.#peek() !== SPACE && this.#peek() !== CLOSE) throw new MalformedHeader();
      this.skip(SPACE);
    }
    const params = this.#params();
    return { components: [...components], params, text: this.#text.slice(start, this.#at) };
  }

  #component(): string {
    const name = this.#string();
    const start = this.#at;
    this.#params();
    return name + this.#text.slice(start, this.#at);
  }

  #params(): Map<string, ParamValue> {
    const params = new Map<string, ParamValue>();
    while (this.take(SEMICOLON)) {
      this.skip(SPACE);
      const key = this.key();
      const value: ParamValue = this.take(EQUALS) ? this.#bareItem() : { type: 'other' };
      if (params.has(key)) throw new MalformedHeader();
      params.set(key, value);
    }
    return params;
  }

  #bareItem(): ParamValue {
    const first = this.#peek();
    if (first === QUOTE) return { type: 'string', value: this.#string() };
    if (isDigit(first) || first === MINUS) return this.#number();
    if (first === COLON) this.byteToken();
    else if (this.take(QUESTION)) this.#boolean();
    else this.#bareToken();
    return { type: 'other' };
  }

  #string(): string {
    this.expect(QUOTE);
    let value = '';
    let start = this.#at;
    for (;;) {
      const code = this.#peek();
      if (!(code >= SPACE && code <= 126)) throw new MalformedHeader();
      if (code === QUOTE) break;
      if (code === BACKSLASH) {
        value += this.#text.slice(start, this.#at);
        this.#at += 1;
        if (this.#peek() !== QUOTE && this.#peek() !== BACKSLASH) throw new MalformedHeader();
        start = this.#at;
      }
      this.#at += 1;
    }
    value += this.#text.slice(start, this.#at);
    this.#at += 1;
    return value;
  }

  #number(): ParamValue {
    const sign = this.take(MINUS) ? -1 : 1;
    const digits = this.#run(isDigit);
    if (digits === '' || digits.length > MAX_INTEGER_DIGITS) throw new MalformedHeader();
    if (!this.take(DOT)) return { type: 'integer', value: sign * Number(digits) };
    const fraction = this.#run(isDigit);
    if (digits.length > 12 || fraction === '' || fraction.length > 3) throw new MalformedHeader();
    return { type: 'other' };
  }

  #boolean(): void {
    if (!this.take(ZERO) && !this.take(ONE)) throw new MalformedHeader();
  }

  #bareToken(): void {
    const first = this.#peek();
    if (!isLower(first | 32) && first !== STAR) throw new MalformedHeader();
    this.#run(isTokenCharacter);
  }

  #run(accepts: (code: number) => boolean): string {
    const start = this.#at;
    while (accepts(this.#peek())) this.#at += 1;
    return this.#text.slice(start, this.#at);
  }

  /** NaN at the end, which no comparison accepts. */
  #peek(): number {
    return this.#text.charCodeAt(this.#at);
  }
}

const KEY_MARKS = '_-.*';
const TOKEN_DIGIT_MARKS = '+/-_=';
const TOKEN_MARKS = "!#$%&'*+-.^_`|~:/";

function isKeyCharacter(code: number): boolean {
  return isLower(code) || isDigit(code) || KEY_MARKS.includes(String.fromCharCode(code));
}

function isTokenCharacter(code: number): boolean {
  return isLower(code | 32) || isDigit(code) || TOKEN_MARKS.includes(String.fromCharCode(code));
}

function isLower(code: number): boolean {
  return code >= 97 && code <= 122;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** A character of either base64 alphabet, or padding; which mixtures are allowed is decided when the token is decoded. */
function isTokenDigit(code: number): boolean {
  return isLower(code | 32) || isDigit(code) || TOKEN_DIGIT_MARKS.includes(String.fromCharCode(code));
}
