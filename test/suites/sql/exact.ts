/** JSON texts as values that can be compared, numbers by their text. */

/** A number as it was written. */
class Written {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toJSON(): string {
    return `number ${this.text}`;
  }
}

/** A JSON text whose numbers keep what was written. */
export function exact(json: string): unknown {
  return JSON.parse(json, function keep(_name, value: unknown, context?: { source?: string }) {
    return typeof value === 'number' ? new Written(context?.source ?? String(value)) : value;
  } as Parameters<typeof JSON.parse>[1]);
}

/** What two values are compared by. */
export function plain(value: unknown): string {
  return JSON.stringify(value);
}

/** A number as `round` has it; all else as it is. */
export function roundedBy(round: (value: number) => string, value: unknown): string {
  return value instanceof Written ? round(Number(value.text)) : plain(value);
}
