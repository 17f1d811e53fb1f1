/** Access of the paths below /producer, also of those that nothing answers. */
export const access = 'any'
