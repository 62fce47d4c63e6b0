/** The suite of every driver against a real PostgreSQL. */
import { describeDriver } from '../contract.ts';
import { postgresContract } from './contract-case.ts';

describeDriver(...postgresContract);
