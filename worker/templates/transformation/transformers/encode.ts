/** Transformers that write texts in other alphabets, and back. */
import { createHash } from 'node:crypto';
import { base64url } from 'jose';
import { RuleFault } from '../failure.ts';
import { chargedText, type Transformer, textIn } from './transformer.ts';

const ALGORITHMS = ['sha256', 'sha384', 'sha512'] as const;
/** What the shortest text takes in base64, to and fro. */
const BASE64_STEPS = 30;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const ENCODE: readonly Transformer[] = [
  {
    name: 'hash',
    args: [{ name: 'algorithm', kind: ALGORITHMS, isOptional: true }],
    about:
      'The digest of a text in UTF-8, in small hexadecimal digits: SHA-256, or `sha384` or `sha512`.',
    example: {
      input: 'abc',
      output: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    },
    make:
      ([algorithm = 'sha256']) =>
      (value, x) => {
        const text = chargedText(value, x);
        x.spend(50 + (text.length >> 2));
        return createHash(textIn(algorithm)).update(encoder.encode(text)).digest('hex');
      },
  },
  {
    name: 'base64',
    about: 'Base64 of a text in UTF-8.',
    example: { input: 'olá', output: 'b2zDoQ==' },
    make: () => (value, x) => {
      const text = chargedText(value, x);
      x.take(4 * text.length);
      x.spend(BASE64_STEPS + (text.length >> 2));
      return toBase64(encoder.encode(text));
    },
  },
  {
    name: 'base64Decode',
    about: 'The text whose UTF-8 a base64 text is, also in the alphabet for addresses.',
    example: { input: 'b2zDoQ==', output: 'olá' },
    make: () => (value, x) => {
      const text = chargedText(value, x);
      x.take(2 * text.length);
      x.spend(BASE64_STEPS + (text.length >> 2));
      return fromBase64(text);
    },
  },
  {
    name: 'urlEncode',
    about: "A text as part of an address: all but letters, digits and -_.!~*'() is escaped.",
    example: { input: 'a b/ç', output: 'a%20b%2F%C3%A7' },
    make: () => (value, x) => {
      const text = chargedText(value, x);
      x.take(9 * text.length);
      x.spend(text.length >> 2);
      return guarded(() => encodeURIComponent(text), 'takes well-formed Unicode');
    },
  },
  {
    name: 'urlDecode',
    about: 'The text that part of an address stands for.',
    example: { input: 'a%20b%2F%C3%A7', output: 'a b/ç' },
    make: () => (value, x) => {
      const text = chargedText(value, x);
      x.spend(text.length >> 2);
      return guarded(
        () => decodeURIComponent(text),
        'takes text with escapes such as %20 of UTF-8',
      );
    },
  },
  {
    name: 'escapeHtml',
    about: 'A text fit to stand in HTML: & < > " and \' become entities.',
    example: { input: 'a < "b"', output: 'a &lt; &quot;b&quot;' },
    make: () => (value, x) => {
      const text = chargedText(value, x);
      x.take(6 * text.length);
      x.spend(text.length >> 2);
      return text.replace(/[&<>"']/g, (each) => ENTITIES[each] ?? each);
    },
  },
];

function guarded(make: () => string, words: string): string {
  try {
    return make();
  } catch (error) {
    if (error instanceof URIError || error instanceof TypeError) throw new RuleFault(words);
    throw error;
  }
}

function toBase64(bytes: Uint8Array): string {
  const plain = base64url.encode(bytes).replaceAll('-', '+').replaceAll('_', '/');
  return plain.padEnd(Math.ceil(plain.length / 4) * 4, '=');
}

function fromBase64(text: string): string {
  if (!/^[\w+/-]*={0,2}$/.test(text) || text.replace(/=+$/, '').length % 4 === 1) {
    throw new RuleFault('takes base64 text');
  }
  const plain = text.replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_');
  return guarded(() => decoder.decode(base64url.decode(plain)), 'takes base64 of a text in UTF-8');
}
