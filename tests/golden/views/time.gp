set encoding utf8
set terminal svg size 700,430 fixed noenhanced font 'sans-serif,13' background rgb '#ffffff'
set border 1 lc rgb '#57606a'
set tics nomirror scale 0.5,0.25 textcolor rgb '#1f2328'
set grid lc rgb '#d0d7de' dt 1 lw 1
set lmargin at screen 0.0914
set rmargin at screen 0.9543
set tmargin at screen 0.8930
set bmargin at screen 0.1953
set label 'Title' at screen 0.0143, screen 0.9488 left font 'sans-serif,15' textcolor rgb '#1f2328'
set key at screen 0.0457, screen 0.0186 left bottom Left reverse horizontal maxcols 3 samplen 3 textcolor rgb '#1f2328'
set xlabel 'seconds since the round began' offset 0,0.4 textcolor rgb '#1f2328'
set xrange [0:110.5]
set xtics ('0' 0, '50' 50, '100' 100)
set yrange [0:53550]
set ytics ('0' 0, '20k' 20000, '40k' 40000)
$line0 << EOD
22.5 50100
23.5 50100
24.5 50100
25.5 50100
26.5 50100

106.5 51000
107.5 51000
108.5 51000
109.5 51000
110.5 51000

EOD
$line1 << EOD
1.5 30000
2.5 30000
3.5 30000
4.5 30000
5.5 30000

85.5 30900
86.5 30900
87.5 30900
88.5 30900
89.5 30900

EOD
plot $line0 using 1:2 with linespoints lc rgb '#0072b2' dt 1 pt 7 ps 0.7 lw 2 title 'http-fast', \
  $line1 using 1:2 with linespoints lc rgb '#d55e00' dt (10,5) pt 5 ps 0.7 lw 2 title 'http-slow'
