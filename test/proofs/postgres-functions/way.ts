/** A way in which SQL runs a function: what it is given, and what it makes of it. */
import type { Choices } from '../random.ts';
import type { Catalog, ServerFunction, ServerType } from './catalog.ts';
import { named } from './values.ts';

/** A function with arguments for it, and a number that no other case has. */
export interface Subject {
  readonly called: ServerFunction;
  readonly values: readonly string[];
  readonly catalog: Catalog;
  readonly choices: Choices;
  readonly id: number;
  /** Of the server: 150000, 180000. */
  readonly version: number;
}

/** An expression to be somewhere in a statement, or a statement; objects are made before by somebody else. */
export type Made = { readonly setup?: readonly string[] } & (
  | { readonly expression: string }
  | { readonly query: string; readonly params?: readonly string[] }
);

/** Undefined where the function cannot be run so. */
export type Way = (subject: Subject) => Made | undefined;

/** The function's name with its schema. */
export function qualified({ called: { schema, name } }: Subject): string {
  return `${named(schema)}.${named(name)}`;
}

/** The function as a name to be made by, with the types of its arguments. */
export function signature(subject: Subject): string {
  return `${qualified(subject)}(${typesOf(subject)
    .map(({ name }) => name)
    .join(', ')})`;
}

/** A plain call. */
export function callOf(subject: Subject, values = subject.values): string {
  return `${qualified(subject)}(${values.join(', ')})`;
}

/** Types of the arguments. */
export function typesOf({ called, catalog }: Subject): ServerType[] {
  return called.args.flatMap((oid) => catalog.types.get(oid) ?? []);
}

/** Type of the result. */
export function resultOf({ called, catalog }: Subject): ServerType | undefined {
  return catalog.types.get(called.returns);
}

/** Whether columns and values of it can be had. */
export function isReal(type: ServerType | undefined): type is ServerType {
  return type !== undefined && type.typtype !== 'p';
}

/** Whether it may be called without the server's path finding another of its name. */
export function isInPath({ called: { schema } }: Subject): boolean {
  return schema === 'pg_catalog' || schema === 'public';
}

/** Whether it is a plain function with one value in a row. */
export function isScalar({ called }: Subject): boolean {
  return called.kind === 'f' && !called.returnsSet;
}
