/** JSON texts of the shapes that are hard to divide: very many names, elements, levels, or few long ones. */
import type { Choices } from '../random.ts';

/** Makes the unit of a shape at a place. */
type Unit = (at: number) => string;

const NAMES: Readonly<Record<string, Unit>> = {
  short: (at) => `k${at.toString(36)}`,
  indices: String,
  'scattered indices': (at) => String((at * 7_919) % 4_294_967_291),
  'like numbers, and no indices': (at) => `0${at}`,
  long: (at) => `${'name'.repeat(50)}${at}`,
  escaped: (at) => String.raw`\u00e9\n${at}`,
  'with digits between': (at) => (at % 7 === 0 ? String(at) : `n${at}`),
};
const VALUES: Readonly<Record<string, Unit>> = {
  one: () => '1',
  fractions: () => '1.0',
  'long numbers': (at) => `12345678901234567890${at}`,
  texts: (at) => `"x${at}"`,
  arrays: () => '[1,"a"]',
  objects: () => '{"a":{"1":null}}',
};

/** A text that is JSON, and what it is called. */
interface ShapedText {
  readonly name: string;
  readonly text: string;
}

/** Of so many characters, about: each sort of name once, then what the choices come to. */
export function textOf(choices: Choices, at: number, size: number): ShapedText {
  const names = Object.keys(NAMES);
  const name = names[at] ?? choices.pickAny(names) ?? 'short';
  const value = at < names.length ? 'one' : (choices.pickAny(Object.keys(VALUES)) ?? 'one');
  const ofName = NAMES[name] ?? String;
  const ofValue = VALUES[value] ?? String;
  const member: Unit = (place) => `"${ofName(place)}":${ofValue(place)}`;
  if (at < names.length || choices.chance(0.5)) {
    return { name: `names ${name}, values ${value}`, text: `{${filled(member, size)}}` };
  }
  if (choices.chance(0.4)) return { name: `elements ${value}`, text: `[${filled(ofValue, size)}]` };
  const depth = Math.floor(choices.next() * 300);
  const half = filled(member, size / 2);
  return {
    name: `names ${name} ${depth} deep, values ${value}`,
    text: `${'{"a":'.repeat(depth)}{${half},"z":{${half}}}${'}'.repeat(depth)}`,
  };
}

function filled(unit: Unit, size: number): string {
  const units: string[] = [];
  for (let length = 0; length < size; length += (units.at(-1)?.length ?? 0) + 1) {
    units.push(unit(units.length));
  }
  return units.join();
}
