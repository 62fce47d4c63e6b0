/** Random JSON texts: numbers in every spelling, names in every order. */
import fc from 'fast-check';

/** A document, and its text without white space. */
interface Written {
  readonly text: string;
  readonly compact: string;
}

const digits = (most: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: most });
/** A number in any spelling that JSON has. */
export const number = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: fc.oneof(fc.constant('0'), fc.bigInt({ min: 1n, max: 10n ** 40n }).map(String)),
    fraction: fc.option(digits(40), { nil: undefined }),
    exponent: fc.option(
      fc.record({ mark: fc.constantFrom('e', 'E', 'e+', 'E-'), digits: digits(4) }),
      { nil: undefined },
    ),
  })
  .map(({ sign, whole: integer, fraction, exponent }) =>
    [
      sign,
      integer,
      fraction === undefined ? '' : `.${fraction}`,
      exponent === undefined ? '' : `${exponent.mark}${exponent.digits}`,
    ].join(''),
  );
const space = fc.constantFrom('', '', ' ', '\n', '\t', '\r\n', '  ');
const string = fc.oneof(fc.string(), fc.constantFrom('1e5', ' 1.10,', '":1e3', '1', '-0', '"5":'));
const name = fc.oneof(
  fc.constantFrom('a', '1', '10', '2', '01', '4294967295', '__proto__', ''),
  fc.string(),
);
const scalar = fc.oneof(
  number,
  number,
  fc.constantFrom('null', 'true', 'false', '1', '-1', '0.5'),
  string.map((each) => JSON.stringify(each)),
);

const { document } = fc.letrec<{ document: Written; array: Written; object: Written }>((tie) => ({
  document: fc.oneof(
    { depthSize: 'small' },
    scalar.map((text) => ({ text, compact: text })),
    tie('array'),
    tie('object'),
  ),
  array: fc.tuple(fc.array(tie('document'), { maxLength: 4 }), space).map(([each, gap]) => ({
    text: `[${gap}${each.map(({ text }) => text).join(`${gap},${gap}`)}${gap}]`,
    compact: `[${each.map(({ compact }) => compact).join()}]`,
  })),
  object: fc
    .tuple(
      fc.uniqueArray(fc.tuple(name, tie('document')), { selector: ([own]) => own, maxLength: 4 }),
      space,
    )
    .map(([members, gap]) => ({
      text: `{${gap}${members.map(([own, { text }]) => `${JSON.stringify(own)}${gap}:${gap}${text}`).join(`${gap},${gap}`)}${gap}}`,
      compact: `{${members.map(([own, { compact }]) => `${JSON.stringify(own)}:${compact}`).join()}}`,
    })),
}));
/** As bodies are: with something around, the member `value`. */
export const body = document.map(({ text, compact }) => ({
  text: `{"value":${text} }`,
  compact: `{"value":${compact}}`,
}));
