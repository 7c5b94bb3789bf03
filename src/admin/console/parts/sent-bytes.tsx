import type { SentBody } from '../../../webhooks/delivery/sent-body.ts';
import { WHERE_NPX_FINDS_IT } from '../../../webhooks/delivery/verify-commands.ts';
import type { Markup } from '../html/markup.ts';
import { ToCopy } from './to-copy.tsx';
import { Said } from './words.tsx';

interface SentBytesProps {
  of: SentBody;
  /** Where the bytes are downloaded, if they are. */
  file?: string;
}

/** What is sent, and how whoever looks, or got it, verifies that: what the seller and its buyer see alike. */
export function SentBytes({ of, file }: SentBytesProps): Markup {
  const { text, bytes, content_digest, is_masked, head, verify } = of;
  return (
    <>
      <h2>What is sent</h2>
      <p class="quiet">
        {`${bytes.toLocaleString('en')} bytes, the same on every attempt; digest `}
        <span class="id">{content_digest}</span>
        {', in the base64 that openssl prints. '}
        {is_masked && 'The stars stand for the token that the buyer gave. '}
        {!is_masked && file !== undefined && <a href={file}>Download body.json</a>}
      </p>
      <pre tabindex={0}>
        <Said>{text}</Said>
      </pre>
      {head !== null && (
        <>
          <p class="quiet">
            What the last attempt was signed with. Another attempt has another time, and a nonce of its own.
          </p>
          <pre tabindex={0}>
            <Said>{head.join('\n')}</Said>
          </pre>
        </>
      )}
      <h2>Verify it yourself</h2>
      <p>
        {verify.proves === 'signature'
          ? 'Copied as a whole into a shell, this verifies the signature over these bytes and headers, by the keys that are published now. It ends with exit status 0 if all of it is as it was sent.'
          : 'Copied as a whole into a shell, this compares the digest. It ends with exit status 0 if the bytes are those that were sent.'}
        {is_masked && ' It takes body.json as the receiver got it: with the token, which is not shown here.'}
        {verify.proof !== null && ` ${WHERE_NPX_FINDS_IT}`}
      </p>
      <ToCopy id="verify" what="the command">
        {verify.whole}
      </ToCopy>
      {verify.proof === null ? (
        <p class="quiet">The mode proves who sends by credentials alone; no bytes are signed.</p>
      ) : (
        <>
          <p>What a receiver kept, its headers in head.txt with the request line first, is verified by this:</p>
          <ToCopy id="verify-kept" what="the command">
            {verify.proof}
          </ToCopy>
        </>
      )}
    </>
  );
}
