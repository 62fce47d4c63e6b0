/** Definitions of workflows and templates that grow in one way: many of something, each of which refers to many others. */
import type { JsonObject } from '../../../proto/json.ts';
import type { Choices } from '../random.ts';
import { LAYOUTS } from './layouts.ts';
import { NODES } from './nodes.ts';
import { READERS } from './readers.ts';
import { RULES } from './rules.ts';

/** A definition of a size, by how many of something it has. */
export interface GrowingDefinition {
  readonly name: string;
  make(count: number): JsonObject;
}

/** Every layout with every reader, the graphs of nodes, and templates. */
export function allDefinitions(choices: Choices): readonly GrowingDefinition[] {
  const pairs = Object.entries(LAYOUTS).flatMap(([layout, make]) =>
    Object.entries(READERS).map(([reader, read]) => ({
      name: `${layout}, each reading ${reader}`,
      make: (count: number) => ({ name: 'w', ...make(count, read) }),
    })),
  );
  const others = Object.entries({ ...NODES, ...RULES }).map(([name, make]) => ({ name, make }));
  return [...others, ...choices.shuffled(pairs)];
}
