/** The suite of every driver against a real Cassandra. */
import { describeDriver } from '../contract.ts';
import { cassandraContract } from './contract-case.ts';

describeDriver(...cassandraContract);
