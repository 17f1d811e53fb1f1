/** Access of the paths below /admin/api, including paths without a class. Classes that change something require MAN. */
export const access = ['MAN', 'READER']
