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
  ['/*!50000 a */', ['versioned /*!', 'sign !', 'number 50000', 'word A', 'sign *', 'sign /']],
  [
    '@a @@b @`c d` :e := ?',
    ['variable @a', 'variable @@b', 'variable @`c d`', 'named e', 'sign :=', 'parameter ?'],
  ],
  // Numbers end where their form does, and words begin there.
  ['1.5INTO', ['number 1.5', 'word INTO']],
  ['.5INTO', ['number .5', 'word INTO']],
  ['1.INTO', ['number 1.', 'word INTO']],
  ['1e1INTO', ['number 1e1', 'word INTO']],
  ['1e+1INTO', ['number 1e+1', 'word INTO']],
  ['1.e5INTO', ['number 1.e5', 'word INTO']],
  ['1.5.5INTO', ['number 1.5', 'number .5', 'word INTO']],
  ['0x41.5INTO', ['number 0x41', 'number .5', 'word INTO']],
  ['\\NINTO', ['number \\N', 'word INTO']],
  ["x'41'INTO", ['word X', 'string 41', 'word INTO']],
  ['`t`.5INTO', ['name t', 'number .5', 'word INTO']],
  ['t .5INTO', ['word T', 'number .5', 'word INTO']],
  // Names may begin with digits.
  ['1INTO', ['word 1INTO']],
  ['1eINTO', ['word 1EINTO']],
  ['0x41INTO', ['word 0X41INTO']],
  ['0b1INTO', ['word 0B1INTO']],
  ['0X41', ['word 0X41']],
  ['0x41 0b1 12', ['number 0x41', 'number 0b1', 'number 12']],
  ['t.5INTO', ['word T', 'sign .', 'word 5INTO']],
  ['t.1e5.5INTO', ['word T', 'sign .', 'word 1E5', 'sign .', 'word 5INTO']],
  ['@x.5INTO', ['variable @x.5INTO']],
  ['@@x.5INTO', ['variable @@x.5INTO']],
  ['@@x..5INTO', ['variable @@x', 'sign .', 'number .5', 'word INTO']],
  // What servers take apart in different ways is said to be so.
  ['1.5e', ['unclear An exponent without digits']],
  ['1.e(1)', ['unclear An exponent without digits', 'sign (', 'number 1', 'sign )']],
  ['1 // 2', ['number 1', 'unclear A comment that begins with //', 'number 2']],
  ['$a$ b', ['unclear A text in dollars', 'word B']],
  ['/*+ a(b) */ c', ['word C']],
  ['/*+ a(`b`) */ c', ['unclear A comment that servers end at different places', 'word C']],
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
