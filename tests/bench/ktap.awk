# SPDX-License-Identifier: GPL-2.0
# What all reports share, in front of them: awk -f ktap.awk -f REPORT RESULTS. Checks, printed as KTAP in the end.

function abs(x) {
	return x < 0 ? -x : x
}

function number(x) {
	return x == int(x) ? sprintf("%d", x) : sprintf("%.2f", x)
}

function signed(x) {
	return (x < 0 ? "" : "+") number(x)
}

function result(good, text) {
	tests++
	bad += !good
	line[tests] = (good ? "ok " : "not ok ") tests " - " text
}

function note(text) {
	comment[tests + 1] = comment[tests + 1] "# " text "\n"
}

function comma(first) {
	return first ? "" : ","
}

# The plan and the results; exit 1 on a "not ok".
function finish(  i) {
	printf "\nKTAP version 1\n1..%d\n", tests
	for (i = 1; i <= tests; i++)
		printf "%s%s\n", comment[i], line[i]
	exit bad > 0
}
