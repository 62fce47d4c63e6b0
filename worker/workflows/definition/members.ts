/** Objects of a definition, whose members are read one by one: what is wrong with them is told with its path. */
import { isJsonObject, isRawJson, type Json, numberText } from '../../../proto/json.ts';
import { truncated } from '../../../proto/truncate.ts';
import { Members as Read } from '../../templates/transformation/report.ts';
import { durationMs } from './duration.ts';
import type { PlaceOf } from './places.ts';

/** Bounds of a number. */
interface NumberBounds {
  readonly min: number;
  readonly max: number;
  readonly isInteger?: boolean;
}

/** One object of a definition. */
export class Members extends Read {
  /** A path of the definition; the whole has none. */
  override at(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }

  override members(name: string): Members | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    if (isJsonObject(value)) return new Members(value, this.at(name), this.report);
    return this.fault(name, 'must be an object');
  }

  /** As `get`, but a member that is null is left out. */
  given(name: string): Json | undefined {
    const value = this.get(name);
    return value === null ? undefined : value;
  }

  flag(name: string, byDefault: boolean): boolean {
    const value = this.get(name);
    if (value === undefined || typeof value === 'boolean') return value ?? byDefault;
    this.fault(name, 'must be true or false');
    return byDefault;
  }

  number(name: string, { min, max, isInteger = false }: NumberBounds): number | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    const number = typeof value === 'number' || isRawJson(value) ? Number(numberText(value)) : NaN;
    const isRight = number >= min && number <= max && (!isInteger || Number.isInteger(number));
    if (isRight) return number;
    return this.fault(
      name,
      `must be ${isInteger ? 'an integer' : 'a number'} from ${min} to ${max}`,
    );
  }

  /** One of some texts. */
  oneOf<Name extends string>(name: string, known: readonly Name[], byDefault: Name): Name {
    return this.chosen(name, known) ?? byDefault;
  }

  /** The same; undefined when absent or, with a fault, another value. */
  chosen<Name extends string>(name: string, known: readonly Name[]): Name | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    const found = known.find((each) => each === value);
    if (found !== undefined) return found;
    if (typeof value !== 'string') return this.fault(name, `must be one of ${known.join(', ')}`);
    const shown = truncated(value, SHOWN);
    return this.fault(
      name,
      `${JSON.stringify(shown)} is not known${this.report.hint(shown, known)}`,
    );
  }

  /** Milliseconds of a duration that is written down. */
  duration(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    return durationMs(text) ?? this.fault(name, DURATION);
  }

  /** Texts of a list; undefined when absent or, with a fault, another value. */
  texts(name: string): readonly string[] | undefined {
    const list = this.list(name);
    if (list === undefined) return undefined;
    return list.flatMap((each, index) => {
      if (typeof each === 'string' && each !== '') return [each];
      this.report.add(`${this.at(name)}.${index}`, TEXT);
      return [];
    });
  }

  /** Reports every member that is none of these. @param placeOf tells where those belong that are known elsewhere */
  override refuseOthers(names: readonly string[], of: string, placeOf?: PlaceOf): void {
    const others = Object.keys(this.object).filter((name) => !names.includes(name));
    const more = others.length - OTHERS_MAX;
    if (more > 0) {
      const last = truncated(others.at(-1) ?? '', SHOWN);
      this.fault(last, `is no member of ${of}, nor are ${more - 1} others`);
    }
    for (const name of others.slice(0, OTHERS_MAX)) {
      const shown = truncated(name, SHOWN);
      const place = placeOf?.(name);
      const hint =
        place === undefined
          ? this.report.hint(shown, names, { isTaken: (each) => this.has(each) })
          : `; it belongs in ${place}`;
      this.fault(shown, `is no member of ${of}${hint}`);
    }
  }
}

/** Characters of a wrong name that are told. */
export const SHOWN = 100;
/** Wrong names of one object that are told with what may be meant; of more only how many. Spec silent. */
const OTHERS_MAX = 100;
const TEXT = 'must be a text of at least one character';
/** What is told of a text that is no duration. */
export const DURATION =
  'must be a duration of ISO 8601, of more than zero and up to ten years, such as PT30S or P1D';
