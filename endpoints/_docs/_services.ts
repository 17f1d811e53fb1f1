/** Gives the handlers of this tree the API description. The tree needs no broker. */
import type { Uses } from '../../src/services.ts'

export const open = ({ describe }: Uses<'describe'>): Uses<'describe'> => ({ describe })
