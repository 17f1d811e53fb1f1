/** Access of the paths below /producer, including paths without a class. */
export const access = 'any'
