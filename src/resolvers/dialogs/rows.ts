import { columnsOf } from '../../db/columns.ts';

export const DIALOG_COLUMNS = columnsOf('Dialog', 'd');
