/** Messages of the service, whatever they are, with what no honest relay has in their fields. */
import { create, type DescField, type DescMessage, ScalarType, toBinary } from '@bufbuild/protobuf';
import type { Choices } from '../random.ts';

/** Is in every text that the node makes up: where it is told, the node has spoken. */
export const MARK = 'SECRET-of-the-node';

const HUGE = 1_000_000;
/** How many elements a list has. */
const LENGTHS = [0, 1, 1, 2, 2, 3, 20_000];
/** Longer ones are of one element. */
const DRAWN_MAX = 3;
/** Above it the first layers of a reply, which have to be right to be read on, are mostly so. */
const PLAUSIBLE = 0.5;
/** Words that the service has a meaning for. */
const WORDS = [
  ...['committed', 'rolled_back', 'prepared', 'unknown', 'insert', 'customers', '1'],
  'c5a7e9ce-0000-4000-8000-000000000000',
];
const NAMED = [
  'x\nevent: error\ndata: {}\n\n',
  '',
  MARK.repeat(HUGE / 20),
  '\u202e\u0000',
  '<script>',
];
const COUNTS = [0n, 1n, 2n ** 63n, 2n ** 64n - 1n, 8_640_000_000_000_001n];
const SMALL_COUNTS = [0, 1, 7, 2 ** 32 - 1];
/** Values of headers that are read as numbers. */
export const HEADERS = ['NaN', '1e300', '-1', '-5', '1e999', '9'.repeat(400), '0.5', 'soon'];

/** Texts of JSON that are none, or of another shape. */
function textOf(choices: Choices): string {
  if (choices.chance(PLAUSIBLE)) return choices.pick(['{"rows":[]}', '[{"rows":[]}]', '[]', '7']);
  return choices.pick<() => string>([
    () => '',
    () => `}}${MARK}`,
    () => 'null',
    () => `{"${MARK}":[`,
    () => '[[[]]]',
    () => `[${'0,'.repeat(100_000)}0]`,
    () => `${'['.repeat(HUGE)}${']'.repeat(HUGE)}`,
    () => '{"rows":1e999}',
    () => '{"__proto__":{"x":1},"rows":[]}',
    () => `"${MARK}`,
    () => `{${Array.from({ length: 50_000 }, (_, at) => `"k${at}":1`).join()}`,
  ])();
}

/** A message of this type, as it goes over the wire. @param leaveOut a field that has nothing */
export function messageBytes(choices: Choices, desc: DescMessage, leaveOut?: string): Uint8Array {
  const fields = desc.fields.filter(({ localName }) => localName !== leaveOut);
  return toBinary(desc, create(desc, drawn(choices, { fields })));
}

function drawn(choices: Choices, { fields }: Pick<DescMessage, 'fields'>): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap((field) =>
      choices.chance(0.8) ? [[field.localName, heldBy(choices, field)] as const] : [],
    ),
  );
}

function heldBy(choices: Choices, field: DescField): unknown {
  switch (field.fieldKind) {
    case 'scalar':
      return scalarOf(choices, field.scalar);
    case 'message':
      return create(field.message, drawn(choices, field.message));
    case 'list':
      return listOf(choices, field);
    case 'map':
      return { 'Retry-After': choices.pickAny(HEADERS), Weird: `a\r\nb: ${MARK}` };
    case 'enum':
      return choices.pick([0, 1, 99]);
  }
}

function scalarOf(choices: Choices, scalar: ScalarType): unknown {
  switch (scalar) {
    case ScalarType.BYTES:
      return new TextEncoder().encode(textOf(choices));
    case ScalarType.STRING:
      return choices.pickAny(choices.chance(PLAUSIBLE) ? WORDS : NAMED);
    case ScalarType.UINT64:
      return choices.pickAny(COUNTS);
    case ScalarType.BOOL:
      return choices.chance(0.7);
    default:
      return choices.pickAny(SMALL_COUNTS);
  }
}

function listOf(choices: Choices, field: DescField & { fieldKind: 'list' }): unknown[] {
  const element = () =>
    field.listKind === 'message'
      ? create(field.message, drawn(choices, field.message))
      : scalarOf(choices, field.listKind === 'scalar' ? field.scalar : ScalarType.UINT32);
  const length = choices.pickAny(LENGTHS) ?? 0;
  if (length <= DRAWN_MAX) return Array.from({ length }, element);
  const short = field.listKind === 'message' ? create(field.message) : WORDS[0];
  return Array.from({ length }, () => short);
}
