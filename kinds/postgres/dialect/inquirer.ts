/** How the guard reaches the database on which a statement is to run. */
import type { AskRows, Statement } from './ask.ts';
import type { FieldValue } from './encode.ts';
import type { Question } from './question.ts';

/** Asks on the connection that a statement is to run on, or on one like it. */
export interface Inquirer {
  /** Nothing on the connection gives names another meaning than they have on a new one. */
  readonly pristine: boolean;
  /** Rows of a query over the catalog, behind `LOOK_UP_SETTINGS`. */
  readonly lookUp: AskRows;
  /** The types that the server gives a statement's parameters. */
  parameterTypes(statement: Statement): Promise<readonly number[]>;
  /** Answers the rows of the last of a question's statements and undoes all; undefined when the server refuses one. */
  ask(question: Question): Promise<readonly (readonly FieldValue[])[] | undefined>;
}
