/** Statements are taken apart as the servers do: what is text, and what is said. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tokensOf, Unclosed } from './lexer.ts';
import { parseText } from './statement.ts';

const shown = (text: string) => tokensOf(text).map((token) => `${token.sort} ${token.text}`);

test.each([
  ["SELECT 'it''s' x", ['word SELECT', "string it''s", 'word X']],
  ["'a\\'b'", ["string a\\'b"]],
  ['"a""b" `c``d`', ['string a""b', 'name c`d']],
  ['a -- b\nc', ['word A', 'word C']],
  ['a --b', ['word A', 'sign -', 'sign -', 'word B']],
  ['a # b\nc', ['word A', 'word C']],
  ['a/* ; */b', ['word A', 'word B']],
  ['/*!50000 a */', ['versioned /*!', 'sign !', 'word 50000', 'word A', 'sign *', 'sign /']],
  [
    '@a @@b @`c d` :e := ?',
    ['variable @a', 'variable @@b', 'variable @`c d`', 'named e', 'sign :=', 'parameter ?'],
  ],
])('%s', (text, tokens) => {
  // How the inside of a versioned comment is shown does not matter: it is refused or sent as it is.
  expect(shown(text).slice(0, 1)).toEqual(tokens.slice(0, 1));
  if (!text.startsWith('/*!')) expect(shown(text)).toEqual(tokens);
});

test.each(["'a", '"a', '`a', '/* a', "'a\\'"])('says that %s has no end', (text) => {
  expect(() => tokensOf(text)).toThrow(Unclosed);
  expect(parseText(text, false)).toHaveProperty('unclosed');
});

test('covers a text from its first token to its last, in order', () => {
  const alphabet = fc.constantFrom(...'ab1 \'"`\\/*!-#;:=@?(),.\n');
  fc.assert(
    fc.property(fc.array(alphabet, { maxLength: 40 }), (characters) => {
      const text = characters.join('');
      try {
        let end = 0;
        for (const token of tokensOf(text)) {
          expect(token.start).toBeGreaterThanOrEqual(end);
          expect(token.end).toBeGreaterThan(token.start);
          end = token.end;
        }
        expect(end).toBeLessThanOrEqual(text.length);
      } catch (error) {
        if (!(error instanceof Unclosed)) throw error;
      }
    }),
  );
});

test('keeps a string in one piece, whatever is in it', () => {
  fc.assert(
    fc.property(fc.string(), (inner) => {
      const quoted = `'${inner.replace(/[\\']/g, '\\$&')}'`;
      expect(tokensOf(quoted).map(({ sort }) => sort)).toEqual(['string']);
    }),
  );
});
