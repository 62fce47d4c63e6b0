/** Where a statement begins, as PostgreSQL's own parser sees it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import './parser.ts';
import { openingWord } from '../../../kinds/postgres/dialect/opening-word.ts';
import { parseText } from '../../../kinds/postgres/dialect/statement.ts';

const comment = fc.letrec<{ comment: string; inner: string }>((tie) => ({
  comment: tie('inner').map((inner) => `/*${inner}*/`),
  inner: fc
    .array(fc.oneof(fc.constantFrom(' ', 'a', '-- ', "'", ';', '\n'), tie('comment')), {
      maxLength: 3,
    })
    .map((parts) => parts.join('')),
})).comment;
const before = fc
  .array(
    fc.oneof(fc.constantFrom(' ', '\n', '\t', '\f', '\v', ';', '-- commit\n', '--\r'), comment),
    {
      maxLength: 5,
    },
  )
  .map((parts) => parts.join(''));

test('is found behind blanks and comments', () => {
  fc.assert(
    fc.property(
      before,
      fc.constantFrom('COMMIT', 'rollback', 'Begin', 'SELECT 1'),
      (head, rest) => {
        const parsed = parseText(head + rest);
        const kind = 'statements' in parsed ? parsed.statements[0]?.kind : undefined;
        expect(kind).toBe(rest === 'SELECT 1' ? 'SelectStmt' : 'TransactionStmt');
        expect(openingWord(head + rest)).toBe(rest.replace(' 1', '').toLowerCase());
      },
    ),
  );
});
