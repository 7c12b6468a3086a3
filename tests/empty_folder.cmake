# cmake -DFOLDER=... -P: makes the folder, empty.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
