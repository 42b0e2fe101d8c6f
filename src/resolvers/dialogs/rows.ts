import { columnsOf } from '../../db/columns.ts';

/** `d` is the table. */
export const DIALOG_COLUMNS = columnsOf('Dialog', 'd');
