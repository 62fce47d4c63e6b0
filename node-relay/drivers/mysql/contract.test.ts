/** The suite of every driver against a real MariaDB, or the MySQL that the environment names. */
import { describeDriver } from '../contract.ts';
import { mysqlContract } from './contract-case.ts';

describeDriver(...mysqlContract);
